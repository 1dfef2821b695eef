#!/bin/sh
# Builds the bot, sends it the requests of dialogue.txt, and checks each of its replies:
#     sh test.sh
# In dialogue.txt a line "> …" is a request, and the line "< …" after it what must be in the reply:
# extended regular expressions with " & " between them. Add positions of your own.
cd "$(dirname "$0")" || exit 2

build() { @BUILD@; } # the two lines of bot.toml
bot() { @COMMAND@; }

build || { echo "The build failed."; exit 1; }

replies=$(mktemp) || exit 2
trap 'rm -f "$replies"' EXIT
tr -d '\r' < dialogue.txt | sed -n 's/^> //p' | bot > "$replies"
ended=$?
failed=0
number=0
while IFS= read -r line; do
    wanted=${line#< }
    number=$((number + 1))
    reply=$(sed -n "${number}p" "$replies")
    missing=$(printf '%s\n' "$wanted" | sed 's/ & /\
/g' | while IFS= read -r part; do
        printf '%s\n' "$reply" | grep -Eq -- "$part" || printf '%s\n' "$part"
    done)
    if [ -z "$missing" ]; then
        echo "ok      $reply"
    else
        echo "FAILED  reply $number is    $reply"
        echo "        it lacks $missing"
        failed=1
    fi
done <<EOF
$(tr -d '\r' < dialogue.txt | grep '^< ')
EOF
if [ "$(wc -l < "$replies")" -ne "$number" ]; then
    echo "FAILED  there should be $number lines, one for each start and turn; there are $(wc -l < "$replies")"
    failed=1
fi
if [ "$ended" -ne 0 ]; then
    echo "FAILED  after quit the bot should end with exit code 0, not $ended"
    failed=1
fi
exit "$failed"
