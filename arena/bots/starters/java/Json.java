import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reading JSON: objects as Map, arrays as List, texts as String, numbers as Long or Double. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The value that the text holds; IllegalArgumentException when it is no JSON. */
    static Object parse(String text) {
        return new Json(text).value();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> array(Object value) {
        return (List<Object>) value;
    }

    static int integer(Object value) {
        return ((Number) value).intValue();
    }

    private Object value() {
        char next = peek();
        if (next == '{') return members();
        if (next == '[') return items();
        if (next == '"') return string();
        if (word("true")) return true;
        if (word("false")) return false;
        if (word("null")) return null;
        return number();
    }

    private Map<String, Object> members() {
        var found = new HashMap<String, Object>();
        expect('{');
        while (peek() != '}') {
            if (!found.isEmpty()) expect(',');
            peek(); // over blanks, to the key
            String key = string();
            expect(':');
            found.put(key, value());
        }
        expect('}');
        return found;
    }

    private List<Object> items() {
        var found = new ArrayList<Object>();
        expect('[');
        while (peek() != ']') {
            if (!found.isEmpty()) expect(',');
            found.add(value());
        }
        expect(']');
        return found;
    }

    private String string() {
        var found = new StringBuilder();
        expect('"');
        while (text.charAt(at) != '"') {
            char next = text.charAt(at++);
            found.append(next == '\\' ? escaped() : next);
        }
        at++;
        return found.toString();
    }

    private char escaped() {
        char letter = text.charAt(at++);
        return switch (letter) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
            default -> letter; // \" \\ \/
        };
    }

    private Number number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
        String digits = text.substring(from, at);
        if (digits.matches("-?\\d{1,18}")) return Long.valueOf(digits);
        return Double.valueOf(digits);
    }

    private boolean word(String word) {
        if (!text.startsWith(word, at)) return false;
        at += word.length();
        return true;
    }

    /** The next character that is no blank. */
    private char peek() {
        while (Character.isWhitespace(text.charAt(at))) at++;
        return text.charAt(at);
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw new IllegalArgumentException("not JSON: no " + wanted + " at " + at);
        }
        at++;
    }
}
