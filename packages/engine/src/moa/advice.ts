import type { AdvisoryView } from './advisory-view.ts'
import { fanOut, type ReferenceResult } from './fan-out.ts'
import { buildFanOutKey, buildTurnKey } from './fan-out-cache.ts'
import { nonEmptyText } from './guidance.ts'
import { slotLabel } from './presets.ts'
import type { CachedAdvice, CachedFanOut, OpenTurn } from './session.ts'
import type { TurnOptions, TurnPart } from './turn.ts'

export interface TurnAdvice {
  /** Advice in the order of the preset's references. */
  readonly advice: readonly CachedAdvice[]
  /** The references this call asked; empty when their advice came from the cache. */
  readonly advised: readonly ReferenceResult[]
  readonly fanOut: 'miss' | 'hit' | 'none'
  readonly turn: { readonly id: string; readonly iteration: number }
}

/**
 * Returns the advice for a request: the cached advice if it still holds, otherwise fresh advice.
 */
export async function getAdvice(
  options: TurnOptions,
  view: AdvisoryView,
  tell: (part: TurnPart) => void,
): Promise<TurnAdvice> {
  const { caller, resolved, state, signal } = options
  const { now = Date.now } = caller
  const of = { preset: resolved.name, labels: resolved.references.map(slotLabel) }
  const turnKey = buildTurnKey(of, view)
  const open = state.openTurn(turnKey, view.asked === view.messages.length, now())
  open.iteration += 1
  const turn = { id: open.id, iteration: open.iteration }
  if (of.labels.length === 0) return { advice: [], advised: [], fanOut: 'none', turn }
  const key = buildFanOutKey(resolved.preset.fanout, of, view, { turn: turnKey, states: open.states })
  // A waiting request takes over when the request that started the fan-out leaves. If several wait,
  // one of them asks.
  for (let cached = open.fanOuts.get(key); cached !== undefined; cached = open.fanOuts.get(key)) {
    state.storeFanOut(open, key, cached)
    const advice = await raceAbort(cached.ran, signal)
    if (advice !== undefined || signal.aborted)
      return { advice: advice ?? [], advised: [], fanOut: 'hit', turn }
  }
  if (open.failed && now() < open.failed.until)
    return { advice: open.failed.advice, advised: [], fanOut: 'hit', turn }
  return askReferences(options, view, { key, open, turn, tell })
}

interface FanOutContext {
  readonly key: string
  readonly open: OpenTurn
  readonly turn: TurnAdvice['turn']
  readonly tell: (part: TurnPart) => void
}

async function askReferences(
  { caller, resolved, state, signal, inputs }: TurnOptions,
  view: AdvisoryView,
  { key, open, turn, tell }: FanOutContext,
): Promise<TurnAdvice> {
  const { references } = resolved
  const { now = Date.now } = caller
  const of = { turn_id: turn.id, iteration: turn.iteration }
  const startedAt = now()
  tell({
    type: 'asking',
    ...of,
    references: references.map((slot) => ({ label: slotLabel(slot), model: slot.model })),
  })
  const running = fanOut({
    caller,
    resolved,
    view: view.messages,
    alternating: state.alternating,
    signal,
    inputs,
    onDone: ({ label, error }, at, done) =>
      tell({
        type: 'progress',
        ...of,
        refs_done: done,
        refs_total: references.length,
        label,
        at,
        error: error?.class ?? null,
      }),
  })
  const ran = running.then(
    ({ advised, aborted }) => {
      // An aborted fan-out has no usable result, so the next request asks again.
      if (aborted) return forget()
      const advice = advised.map(toCachedAdvice)
      if (hasFailed(advised)) {
        forget()
        open.failed = computeBackoff(open.failed?.times ?? 0, advice, now(), now() - startedAt)
      } else {
        open.failed = undefined
        state.setAdviceSize(entry, advice)
      }
      return advice
    },
    () => forget(),
  )
  const entry: CachedFanOut = { ran, size: 0 }
  const forget = (): undefined => {
    if (open.fanOuts.get(key) === entry) open.fanOuts.delete(key)
    return undefined
  }
  state.storeFanOut(open, key, entry)
  const [{ advised }, advice] = await Promise.all([running, ran])
  return { advice: advice ?? advised.map(toCachedAdvice), advised, fanOut: 'miss', turn }
}

/**
 * True if every reference that was asked failed. References that were skipped from the start do not
 * count, because they would be skipped again.
 */
const hasFailed = (advised: readonly ReferenceResult[]): boolean =>
  advised.every(({ error }) => error !== null) && advised.some(({ wasSent }) => wasSent)

const LEAST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 300_000

/**
 * The next call asks again. If that fails too, the references are left alone for as long as the
 * failure took, and for twice as long after every further failure.
 */
function computeBackoff(
  before: number,
  advice: readonly CachedAdvice[],
  at: number,
  took: number,
): OpenTurn['failed'] {
  const times = before + 1
  const pause = times === 1 ? 0 : Math.max(took, LEAST_PAUSE_MS) * 2 ** Math.min(times - 2, 20)
  return { times, until: at + Math.min(pause, LONGEST_PAUSE_MS), advice }
}

const toCachedAdvice = ({ label, reply, error }: ReferenceResult): CachedAdvice => ({
  label,
  text: error === null ? nonEmptyText(reply?.text ?? '') : null,
})

/** Resolves with the result, or with undefined as soon as the waiting request is aborted. */
async function raceAbort<T>(ran: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined
  let onAbort = () => {}
  const left = new Promise<undefined>((done) => {
    onAbort = () => done(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([ran, left])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
