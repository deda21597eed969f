import type { ContextSection, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { type Cleaned, cleaned, takenOut } from './clean.ts'
import type { Loaded, SectionInput, SectionSource } from './port.ts'
import { asItem } from './render.ts'
import { firstTokens, tokensOf } from './tokens.ts'

/** What a source answered, before it is made to fit. */
export interface Asked {
  readonly loaded: Result<Loaded>
  readonly elapsed_ms: number
}

/** Within its time. Nothing that goes wrong in it reaches anybody else. */
export async function within<T>(
  load: (signal: AbortSignal) => Promise<Result<T>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly loaded: Result<T>; readonly elapsed_ms: number }> {
  const began = performance.now()
  const stop = new AbortController()
  const late = Promise.withResolvers<Result<T>>()
  const end = (why: string) => {
    stop.abort()
    late.resolve(failure('stopped', why))
  }
  const onAbort = () => end('it was stopped')
  const clock = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const asked = async () => load(stop.signal)
  const loaded = await Promise.race([
    asked().catch((error: unknown) => failure('io', error instanceof Error ? error.message : 'it failed')),
    late.promise,
  ])
  clearTimeout(clock)
  signal.removeEventListener('abort', onAbort)
  return { loaded, elapsed_ms: performance.now() - began }
}

export const askSection = (source: SectionSource, input: SectionInput, signal: AbortSignal): Promise<Asked> =>
  within((limit) => source.load(input, limit), source.timeoutMs, signal)

export const emptySection = (
  key: string,
  title: string,
  more: Partial<ContextSection> & Pick<ContextSection, 'status'>,
): ContextSection => ({
  key,
  title,
  chars: 0,
  tokens: 0,
  items: 0,
  left_out: 0,
  truncated: false,
  ...more,
})

export interface Fitting {
  readonly tokens: number
  /** What whoever answers was told already and has before its eyes. */
  readonly already?: string | undefined
  readonly clean?: ((text: string) => Cleaned) | undefined
}

type Shown = Pick<SectionSource, 'key' | 'title' | 'render'>

/** As much of what was found as there is room for, clean and fenced; what was cut is counted. Pure. */
export function fitSection(
  source: Shown,
  { loaded, elapsed_ms }: Asked,
  { tokens: room, already = '', clean = cleaned }: Fitting,
): ContextSection {
  const { key, title, render } = source
  const empty = (more: Partial<ContextSection> & Pick<ContextSection, 'status'>) =>
    emptySection(key, title, { elapsed_ms, ...more })
  if (!loaded.ok) return empty({ status: 'unavailable', note: loaded.message })
  const { items, leftOut = 0, note } = loaded.value
  const { fresh, told, rest } = freshOf(items, clean, already, room)
  const noted = (kept: readonly Cleaned[]) => {
    const before = told === 0 ? undefined : `${told} told with an earlier message`
    const notes = [note, before, takenOut(kept)].filter((one) => one !== undefined)
    return notes.length === 0 ? {} : { note: notes.join('; ') }
  }
  if (fresh.length === 0) return empty({ status: 'absent', left_out: leftOut, ...noted([]) })
  const kept = fresh.slice(0, fitting(fresh, render, room))
  const first = kept.length === 0 ? cutToFit(fresh[0]?.text ?? '', render, room) : null
  if (kept.length === 0 && first === null)
    return empty({ status: 'ok', left_out: leftOut + rest + fresh.length, truncated: true, ...noted([]) })
  const text = render(first === null ? kept.map((one) => one.text) : [first])
  const count = Math.max(1, kept.length)
  return empty({
    status: 'ok',
    chars: text.length,
    tokens: tokensOf(text),
    items: count,
    left_out: leftOut + rest + fresh.length - count,
    truncated: first !== null,
    text,
    ...noted(fresh.slice(0, count)),
  })
}

/** What is not told yet, as far as there may be room; the rest is not even looked at. */
function freshOf(
  items: readonly string[],
  clean: (text: string) => Cleaned,
  already: string,
  room: number,
): { readonly fresh: readonly Cleaned[]; readonly told: number; readonly rest: number } {
  const fresh: Cleaned[] = []
  let told = 0
  let size = 0
  for (const item of items) {
    if (size > room) break
    const one = clean(item)
    if (already.includes(`\n${asItem(one.text)}\n`)) told += 1
    else {
      fresh.push(one)
      size += tokensOf(one.text)
    }
  }
  return { fresh, told, rest: items.length - fresh.length - told }
}

/** How many of the first have room. */
function fitting(items: readonly Cleaned[], render: Shown['render'], room: number): number {
  const texts = items.map(({ text }) => text)
  let least = 0
  let most = texts.length
  while (least < most) {
    const middle = (least + most + 1) >> 1
    if (tokensOf(render(texts.slice(0, middle))) <= room) least = middle
    else most = middle - 1
  }
  return least
}

/** Less would say nothing. */
const LEAST = 24
const CUT = '…'

function cutToFit(text: string, render: Shown['render'], room: number): string | null {
  let tokens = room - tokensOf(render([CUT]))
  for (let tries = 0; tries < 4 && tokens >= LEAST; tries += 1) {
    const cut = firstTokens(text, tokens) + CUT
    const over = tokensOf(render([cut])) - room
    if (over <= 0) return cut
    tokens -= over
  }
  return null
}
