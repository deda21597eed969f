import { type Sign, shows } from './signs.ts'

/** What programs print when they crash. */
const TRACES: readonly Sign[] = [
  // Python
  {
    has: ['Traceback (most recent call last):'],
    pattern: /^[ \t+|]{0,16}Traceback \(most recent call last\):/m,
  },
  {
    has: ['SyntaxError: ', 'IndentationError: ', 'TabError: '],
    pattern: /^[ \t]{0,16}(?:SyntaxError|IndentationError|TabError): /m,
  },
  // Go
  { has: ['panic: '], pattern: /^panic: /m },
  { has: ['goroutine '], pattern: /^goroutine \d{1,12} \[/m },
  // Rust
  { has: ['panicked at '], pattern: /^thread '[^'\n]{0,200}' (?:\(\d{1,12}\) )?panicked at /m },
  // Java and its kin
  { has: ['Exception in thread "'], pattern: /^Exception in thread "/m },
  {
    has: ['.java:', '.kt:', '.scala:', '.groovy:', '.clj:', '(Native Method)', '(Unknown Source)'],
    pattern:
      /^[ \t]{1,16}at [\w$.<>/@]{1,300}\((?:[\w$-]{1,200}\.(?:java|kt|scala|groovy|clj):\d{1,9}|Native Method|Unknown Source)\)/m,
  },
  // Ruby
  {
    has: ['.rb:'],
    pattern:
      /^[ \t]{0,16}(?:from )?[^\s:][^\n:]{0,300}\.rb:\d{1,9}:in ['`][^\n]{0,300}\((?:\w{1,40}::){0,4}\w{0,80}Error\)/m,
  },
  // C# and its kin
  { has: ['Unhandled exception'], pattern: /^Unhandled exception[.:]/im },
  // PHP
  { has: ['PHP ', 'Fatal error: '], pattern: /^(?:PHP )?(?:Fatal|Parse) error: /m },
]

/** JavaScript: stack frames alone also occur in profiles and comments. */
const FRAME: Sign = {
  has: [' at ', '\tat '],
  pattern: /^[ \t]{1,16}at [^\n]{0,1000}:\d{1,9}:\d{1,9}\)?[ \t\r]{0,8}$/m,
}
const THROWN: Sign = {
  has: ['Error', 'Exception'],
  pattern: /^[ \t]{0,16}(?:Uncaught )?(?:\w{1,40}: )?[\w$.]{0,100}(?:Error|Exception)\b/m,
}

export const hasTrace = (text: string): boolean =>
  TRACES.some((trace) => shows(text, trace)) || (shows(text, THROWN) && shows(text, FRAME))
