import { hasTrace } from './traces.ts'

/** Said at the head of a result. */
const HEAD =
  /^\s{0,64}(?:<tool_use_error>|Error executing tool '|(?:[\w.]{0,80}(?:Error|Exception)|error):\s)/i
/** Said of a process on a line of its own, or as its end. */
const EXITS: readonly RegExp[] = [
  /^[ \t([]{0,8}exit code:? {0,4}(-?\d{1,10})\b/gim,
  /\bexited with (?:exit )?(?:code|status):? {0,4}(-?\d{1,10})\b/gi,
  /\b(?:fail(?:ed|ure)|terminated|returned)\b[^\n]{0,24}\bexit (?:code|status):? {0,4}(-?\d{1,10})\b/gi,
  /(?:^|: )exit status (\d{1,10})[ \t\r.]{0,8}$/gim,
]
/** In every text that one of these fits; letters in another mixture of sizes are no program's. */
const EXIT = [
  'xit code',
  'xited with',
  'xit status',
  'xit Code',
  'xit Status',
  'XIT CODE',
  'XIT STATUS',
  'XITED WITH',
]

export function failsAsText(text: string): boolean {
  if (HEAD.test(text.slice(0, 256))) return true
  return (
    (EXIT.some((part) => text.includes(part)) && EXITS.some((exit) => hasOtherThanZero(text, exit))) ||
    hasTrace(text)
  )
}

function hasOtherThanZero(text: string, exit: RegExp): boolean {
  for (const [, code] of text.matchAll(exit)) if (Number(code) !== 0) return true
  return false
}
