import { createHash } from 'node:crypto'
import type { ContextSection, Result } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { type CleanResult, cleanText, describeRemovals } from './clean.ts'
import type { Loaded, SectionInput, SectionSource } from './port.ts'
import { countTokens, firstTokens } from './tokens.ts'

/** What a source returned, before it is cut to its budget. */
export interface SectionResult {
  readonly loaded: Result<Loaded>
  readonly elapsed_ms: number
}

/** Text that looks like one of our fences. */
const LIKE_A_FENCE = /<(?=\s{0,20}\/?\s{0,20}data-)/gi

const MARK = 10

/** Runs a source with a timeout. Nothing that goes wrong in it affects other sections. */
export async function withTimeout<T>(
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
  const onAbort = () => end('stopped')
  const clock = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const loadAsync = async () => load(stop.signal)
  const loaded = await Promise.race([
    loadAsync().catch((error: unknown) =>
      failure('io', error instanceof Error ? error.message : 'it failed'),
    ),
    late.promise,
  ])
  clearTimeout(clock)
  signal.removeEventListener('abort', onAbort)
  return { loaded, elapsed_ms: performance.now() - began }
}

export const askSection = (
  source: SectionSource,
  input: SectionInput,
  signal: AbortSignal,
): Promise<SectionResult> => withTimeout((limit) => source.load(input, limit), source.timeoutMs, signal)

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

export interface FitOptions {
  readonly tokens: number
  /** The text that the model was sent earlier and still sees. */
  readonly already?: string | undefined
  readonly clean?: ((text: string) => CleanResult) | undefined
}

type SectionView = Pick<SectionSource, 'key' | 'title' | 'render'>

/**
 * Fits as many items as possible into the budget, cleaned and fenced, and counts what was cut.
 * Pure.
 */
export function fitSection(
  source: SectionView,
  { loaded, elapsed_ms }: SectionResult,
  { tokens: room, already = '', clean = cleanText }: FitOptions,
): ContextSection {
  const { key, title, render } = source
  const empty = (more: Partial<ContextSection> & Pick<ContextSection, 'status'>) =>
    emptySection(key, title, { elapsed_ms, ...more })
  if (!loaded.ok) return empty({ status: 'unavailable', note: loaded.message })
  const { items, leftOut = 0, note } = loaded.value
  const { fresh, alreadySent, rest } = selectFresh(items, clean, already, room)
  const noteFields = (cleanedItems: readonly CleanResult[]) => {
    const before = alreadySent === 0 ? undefined : `${alreadySent} sent with an earlier message`
    const notes = [note, before, describeRemovals(cleanedItems)].filter((one) => one !== undefined)
    return notes.length === 0 ? {} : { note: notes.join('; ') }
  }
  if (fresh.length === 0) return empty({ status: 'absent', left_out: leftOut, ...noteFields([]) })
  const included = fresh.slice(0, countFitting(fresh, render, room))
  const first = included.length === 0 ? cutToFit(fresh[0]?.text ?? '', render, room) : null
  if (included.length === 0 && first === null)
    return empty({
      status: 'ok',
      left_out: leftOut + rest + fresh.length,
      truncated: true,
      ...noteFields([]),
    })
  const text = render(first === null ? included.map((one) => one.text) : [first])
  const count = Math.max(1, included.length)
  return empty({
    status: 'ok',
    chars: text.length,
    tokens: countTokens(text),
    items: count,
    left_out: leftOut + rest + fresh.length - count,
    truncated: first !== null,
    text,
    ...noteFields(fresh.slice(0, count)),
  })
}

/** Returns the items that were not sent yet, up to what may fit. The rest is not even examined. */
function selectFresh(
  items: readonly string[],
  clean: (text: string) => CleanResult,
  already: string,
  room: number,
): { readonly fresh: readonly CleanResult[]; readonly alreadySent: number; readonly rest: number } {
  const fresh: CleanResult[] = []
  let alreadySent = 0
  let size = 0
  for (const item of items) {
    if (size > room) break
    const one = clean(item)
    if (already.includes(`\n${formatItem(one.text)}\n`)) alreadySent += 1
    else {
      fresh.push(one)
      size += countTokens(one.text)
    }
  }
  return { fresh, alreadySent, rest: items.length - fresh.length - alreadySent }
}

/** Returns how many of the first items fit. */
function countFitting(items: readonly CleanResult[], render: SectionView['render'], room: number): number {
  const texts = items.map(({ text }) => text)
  let least = 0
  let most = texts.length
  while (least < most) {
    const middle = (least + most + 1) >> 1
    if (countTokens(render(texts.slice(0, middle))) <= room) least = middle
    else most = middle - 1
  }
  return least
}

/** The minimum size of a shortened item; less would be meaningless. */
const LEAST = 24
const CUT = '…'

function cutToFit(text: string, render: SectionView['render'], room: number): string | null {
  let tokens = room - countTokens(render([CUT]))
  for (let tries = 0; tries < 4 && tokens >= LEAST; tries += 1) {
    const cut = firstTokens(text, tokens) + CUT
    const over = countTokens(render([cut])) - room
    if (over <= 0) return cut
    tokens -= over
  }
  return null
}

/**
 * Marks where remembered text begins and ends. The marker is derived from the text and does not
 * occur in it, so nothing in the text can close the fence. The same text always gets the same
 * fence.
 */
export function fenceText(kind: string, text: string): string {
  const safe = text.replace(LIKE_A_FENCE, '‹')
  const mark = createMark(kind, safe)
  return `<data-${mark} kind="${kind}">\n${safe}\n</data-${mark}>`
}

function createMark(kind: string, text: string): string {
  let mark = hash(`${kind}\n${text}`)
  while (text.includes(mark)) mark = hash(mark)
  return mark
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, MARK)

/** Formats a list item. Its further lines are indented, so that none can pass for another item. */
export const formatItem = (text: string): string => `- ${text.replaceAll('\n', '\n  ')}`

/** Formats a list under a heading that says the items are data, whatever they contain. */
export const createListRenderer =
  (kind: string, intro: string) =>
  (items: readonly string[]): string =>
    `${intro}\n${fenceText(kind, items.map(formatItem).join('\n'))}`

export const createTextRenderer =
  (kind: string, intro: string) =>
  (items: readonly string[]): string =>
    `${intro}\n${fenceText(kind, items.join('\n\n'))}`
