import { type Fields, fieldsOf } from './fields.ts'
import { joined } from './transcript-row.ts'

/** What a call gave, as text. */
export const resultText = ({ content }: Fields): string => {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? joined(content.map(fieldsOf)) : ''
}

/** The client found fault with the call itself: there is no such tool, or its input is not what the tool takes. */
export const isRefused = (text: string): boolean => text.startsWith('<tool_use_error>')

/** What the client is told, and writes down as the result of the call, when a person denies it on the page. */
export const DENIED_ON_PAGE = 'Denied by the user in Panoptes.'

const DENIALS = [
  /^(?:[^\n]{0,80}: )?Denied by the user in Panoptes\./,
  /^The user doesn't want to/,
  /^Claude requested permissions? to /,
  /^Permission to use \S+ .{0,2000}denied/s,
  /^[^\n]{0,2000} (?:was blocked\. For security|needs approval|requires approval)\b/,
  /^Tool use (?:was )?rejected/i,
  /^\[Request interrupted by user/,
]

/** A person, a rule or a hook said no, or a person broke it off. */
export const isDenied = (text: string): boolean => DENIALS.some((denial) => denial.test(text.slice(0, 4_000)))
