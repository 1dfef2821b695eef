//! Reading JSON: what the referee sends, and no more than that.

use std::collections::HashMap;

pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Json>),
    Object(HashMap<String, Json>),
}

impl Json {
    /// The value that `text` holds. Panics when it is no JSON, which ends the bot.
    pub fn parse(text: &str) -> Json {
        Reader { rest: text }.value()
    }

    /// What an object holds under `key`.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.get(key).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    /// What an array holds; nothing for anything else.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::Array(items) => items,
            _ => &[],
        }
    }

    /// A text; empty for anything else.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    /// A number without its fraction, false and true as 0 and 1; 0 for anything else.
    pub fn integer(&self) -> i64 {
        match self {
            Json::Number(number) => *number as i64,
            Json::Bool(is) => i64::from(*is),
            _ => 0,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self) -> Json {
        match self.peek() {
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some('"') => Json::Text(self.text()),
            _ if self.took("true") => Json::Bool(true),
            _ if self.took("false") => Json::Bool(false),
            _ if self.took("null") => Json::Null,
            _ => self.number(),
        }
    }

    fn object(&mut self) -> Json {
        let mut fields = HashMap::new();
        self.expect("{");
        while self.peek() != Some('}') {
            if !fields.is_empty() {
                self.expect(",");
            }
            self.peek();
            let key = self.text();
            self.expect(":");
            fields.insert(key, self.value());
        }
        self.expect("}");
        Json::Object(fields)
    }

    fn array(&mut self) -> Json {
        let mut items = Vec::new();
        self.expect("[");
        while self.peek() != Some(']') {
            if !items.is_empty() {
                self.expect(",");
            }
            items.push(self.value());
        }
        self.expect("]");
        Json::Array(items)
    }

    fn text(&mut self) -> String {
        let mut text = String::new();
        self.expect("\"");
        loop {
            match self.next() {
                '"' => return text,
                '\\' => match self.next() {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'b' => text.push('\u{8}'),
                    'f' => text.push('\u{c}'),
                    'u' => {
                        // Only in names, which no move depends on.
                        self.rest = &self.rest[4..];
                        text.push('?');
                    }
                    other => text.push(other), // \" \\ \/
                },
                other => text.push(other),
            }
        }
    }

    fn number(&mut self) -> Json {
        let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        Json::Number(digits.parse().unwrap_or_else(|_| panic!("not JSON: {digits:?}{rest}")))
    }

    /// The next character that is no blank.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn next(&mut self) -> char {
        let letter = self.rest.chars().next().expect("JSON that does not end early");
        self.rest = &self.rest[letter.len_utf8()..];
        letter
    }

    fn took(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, word: &str) {
        self.peek();
        assert!(self.took(word), "not JSON: {word} is missing before {}", self.rest);
    }
}
