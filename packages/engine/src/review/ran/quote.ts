import { redactText } from '@panoptes/engine/redact'

/** Some words of a text and the place in them that they are quoted for. They are whole enough to tell secrets by. */
export interface Quote {
  readonly text: string
  readonly at: number
}

const AROUND = 300
const MOST = 160
/** What is left of a secret that was cut has no shape: nothing that people would read is that long. */
const RUN_ON = /[\w+/=.-]{64,}/g

/** A part of a text that does not keep the rest of it in memory. */
export const ownCopy = (text: string): string => Buffer.from(text).toString()

/** The words around a place, of its line alone. */
export function quoteAt(text: string, place: number): Quote {
  const from = Math.max(0, place - AROUND)
  const around = text.slice(from, place + AROUND)
  const start = around.lastIndexOf('\n', place - from - 1) + 1
  const end = around.indexOf('\n', place - from)
  return { text: ownCopy(around.slice(start, end < 0 ? around.length : end)), at: place - from - start }
}

/** As it may be kept and shown: without secrets, and short. */
export function shownQuote({ text, at }: Quote): string {
  const clean = redactText(text).text
  if (clean.trim().length <= MOST || clean !== text) return short(text)
  const from = Math.max(0, Math.min(at - MOST / 2, text.length - MOST))
  return short(text.slice(from, from + MOST).trim())
}

/** Words for people, without secrets. */
export function short(text: string): string {
  const clean = redactText(text.slice(0, 2 * AROUND + MOST))
    .text.replace(RUN_ON, '…')
    .trim()
  return clean.length <= MOST ? clean : `${clean.slice(0, MOST - 1)}…`
}
