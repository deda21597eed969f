import type { ContextSection } from '@panoptes/schema'
import type { SectionInput, SectionSource } from './port.ts'

/** Characters of a token, about. */
const CHARS = 4

export const tokensOf = (text: string): number => Math.ceil(text.length / CHARS)

/** What one source has to say, within its time and its budget. */
export async function loadSection(
  source: SectionSource,
  input: SectionInput,
  signal: AbortSignal,
): Promise<ContextSection> {
  const { key, title, budgetTokens, timeoutMs } = source
  const began = performance.now()
  const about = { key, title, chars: 0, tokens: 0, items: 0, left_out: 0, truncated: false }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const { items, leftOut = 0, note } = await within(source.load(input, limit), limit)
    const elapsed_ms = performance.now() - began
    if (items.length === 0)
      return {
        ...about,
        status: 'absent',
        left_out: leftOut,
        elapsed_ms,
        ...(note === undefined ? {} : { note }),
      }
    let kept = items.length
    let text = source.render(items)
    while (kept > 1 && tokensOf(text) > budgetTokens) {
      kept -= 1
      text = source.render(items.slice(0, kept))
    }
    const most = budgetTokens * CHARS
    const truncated = text.length > most
    if (truncated) text = text.slice(0, most)
    return {
      ...about,
      status: 'ok',
      chars: text.length,
      tokens: tokensOf(text),
      items: kept,
      left_out: leftOut + items.length - kept,
      truncated,
      elapsed_ms,
      text,
      ...(note === undefined ? {} : { note }),
    }
  } catch (error) {
    const note = limit.aborted && !signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error)
    return { ...about, status: 'unavailable', note, elapsed_ms: performance.now() - began }
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'it could not be read')

const within = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_done, fail) => {
      const stop = () => fail(new Error('stopped'))
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
    }),
  ])
