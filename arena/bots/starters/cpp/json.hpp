// Reading JSON: what the referee sends, and no more than that.
#pragma once

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

class Json {
public:
    // The value that `text` holds; std::runtime_error when it is no JSON.
    static Json parse(const std::string& text) {
        const char* at = text.c_str();
        return read(at);
    }

    // What an object holds under `key`, or an array at `index`; std::out_of_range without it.
    const Json& operator[](const char* key) const { return fields_.at(key); }
    const Json& operator[](int index) const { return items_.at(std::size_t(index)); }

    const std::vector<Json>& items() const { return items_; }
    std::size_t size() const { return items_.size(); }
    const std::string& text() const { return text_; }
    double number() const { return number_; }                      // 0 and 1 for false and true
    long long integer() const { return (long long)number_; }
    bool is_null() const { return is_null_; }                      // a limit that is not set

private:
    std::map<std::string, Json> fields_;
    std::vector<Json> items_;
    std::string text_;
    double number_ = 0;
    bool is_null_ = false;

    static void skip_blanks(const char*& at) {
        while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') ++at;
    }

    static void expect(const char*& at, const std::string& word) {
        for (char letter : word)
            if (*at++ != letter) throw std::runtime_error("not JSON: expected " + word);
    }

    static Json read(const char*& at) {
        Json value;
        skip_blanks(at);
        switch (*at) {
            case '{': read_members(at, '}', value); break;
            case '[': read_members(at, ']', value); break;
            case '"': value.text_ = read_text(at); break;
            case 't': expect(at, "true"); value.number_ = 1; break;
            case 'f': expect(at, "false"); break;
            case 'n': expect(at, "null"); value.is_null_ = true; break;
            default: {
                char* end;
                value.number_ = std::strtod(at, &end);
                if (end == at) throw std::runtime_error("not JSON");
                at = end;
            }
        }
        skip_blanks(at);
        return value;
    }

    // The members of an object or array, up to its closing bracket.
    static void read_members(const char*& at, char closing, Json& value) {
        ++at;
        skip_blanks(at);
        while (*at != closing) {
            if (closing == '}') {
                skip_blanks(at);
                std::string key = read_text(at);
                skip_blanks(at);
                expect(at, ":");
                value.fields_[key] = read(at);
            } else {
                value.items_.push_back(read(at));
            }
            if (*at != closing) expect(at, ",");
        }
        ++at;
    }

    static std::string read_text(const char*& at) {
        std::string text;
        expect(at, "\"");
        while (*at != '"') {
            if (*at == '\0') throw std::runtime_error("not JSON: a string has no end");
            if (*at == '\\') {
                ++at;
                switch (*at) {
                    case 'n': text += '\n'; break;
                    case 't': text += '\t'; break;
                    case 'r': text += '\r'; break;
                    case 'b': text += '\b'; break;
                    case 'f': text += '\f'; break;
                    case 'u':  // only in names, which no move depends on
                        text += '?';
                        for (int digit = 0; digit < 4 && at[1] != '\0'; ++digit) ++at;
                        break;
                    case '\0': continue;
                    default: text += *at;  // \" \\ \/
                }
                ++at;
            } else {
                text += *at++;
            }
        }
        ++at;
        return text;
    }
};
