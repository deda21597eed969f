import { type Sign, shows } from './signs.ts'
import { hasTrace } from './traces.ts'

/** Text from the client instead of a result. */
const CLIENT =
  /^\s{0,64}(?:<tool_use_error>|Error executing tool '|The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user)/i
/** Error text at the beginning of a result. */
const HEAD = /^\s{0,64}(?:<error>|(?:[\w.]{0,80}(?:Error|Exception)|error):\s)/i
/** A shell's message for a command it could not run. */
const SHELL = /^(?:[\w./-]{0,40}sh|cmd): [^\n]{0,300}?(?:command not found|: not found)\b/m
const CRASH =
  /^(?:Segmentation fault|Bus error|Illegal instruction|Aborted(?= \())(?: \(core dumped\))?[ \t\r]{0,8}$/m
/** A zero exit code reported before the output. */
const ZERO = /^(?:Process exited with code|Exit code:?) 0[ \t\r]{0,8}$/m
const MOST_HEAD = 400
/** An exit code reported on a line of its own or at the end. */
const EXITS: readonly RegExp[] = [
  /^[ \t([]{0,8}exit code:? {0,4}(-?\d{1,10})\b/gim,
  /\bexited with (?:exit )?(?:code|status):? {0,4}(-?\d{1,10})\b/gi,
  /\b(?:fail(?:ed|ure)|terminated|returned)\b[^\n]{0,24}\bexit (?:code|status):? {0,4}(-?\d{1,10})\b/gi,
  /(?:^|: )exit status (\d{1,10})[ \t\r.]{0,8}$/gim,
]
const CRASHES: readonly Sign[] = [
  { has: ['not found'], pattern: SHELL },
  { has: ['Segmentation fault', 'Bus error', 'Illegal instruction', 'Aborted ('], pattern: CRASH },
]
/** Substrings of every match; other mixes of upper and lower case are not written by programs. */
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

export const saysClient = (text: string): boolean => CLIENT.test(text.slice(0, 256))

export const saysExitZero = (text: string): boolean => ZERO.test(text.slice(0, MOST_HEAD))

export function failsAsText(text: string): boolean {
  const head = text.slice(0, 256)
  if (HEAD.test(head) || CLIENT.test(head)) return true
  if (CRASHES.some((crash) => shows(text, crash))) return true
  return (
    (EXIT.some((part) => text.includes(part)) && EXITS.some((exit) => hasOtherThanZero(text, exit))) ||
    hasTrace(text)
  )
}

function hasOtherThanZero(text: string, exit: RegExp): boolean {
  for (const [, code] of text.matchAll(exit)) if (Number(code) !== 0) return true
  return false
}
