import { type Advised, fanOut } from './fan-out.ts'
import { fanOutKeyOf, turnKeyOf } from './fan-out-cache.ts'
import { labelOf } from './presets.ts'
import type { KeptAdvice, KeptFanOut, OpenTurn } from './session.ts'
import type { TurnOptions, TurnPart } from './turn.ts'
import type { AdvisoryView } from './view.ts'
import { saidOf } from './words.ts'

export interface Advising {
  /** In the order of the preset. */
  readonly advice: readonly KeptAdvice[]
  /** The references that were asked for it: none where that was done before. */
  readonly advised: readonly Advised[]
  readonly fanOut: 'miss' | 'hit' | 'none'
  readonly turn: { readonly id: string; readonly iteration: number }
}

/** The advice that holds for a request: as it was given before, else as the references give it now. */
export async function adviceFor(
  options: TurnOptions,
  view: AdvisoryView,
  tell: (part: TurnPart) => void,
): Promise<Advising> {
  const { caller, resolved, state, signal } = options
  const { now = Date.now } = caller
  const of = { preset: resolved.name, labels: resolved.references.map(labelOf) }
  const turnKey = turnKeyOf(of, view)
  const open = state.turnOf(turnKey, view.asked === view.messages.length, now())
  open.iteration += 1
  const turn = { id: open.id, iteration: open.iteration }
  if (of.labels.length === 0) return { advice: [], advised: [], fanOut: 'none', turn }
  const key = fanOutKeyOf(resolved.preset.fanout, of, view, { turn: turnKey, states: open.states })
  // Who waits for the references of another who then left asks them himself; one of several does.
  for (let kept = open.fanOuts.get(key); kept !== undefined; kept = open.fanOuts.get(key)) {
    state.keepFanOut(open, key, kept)
    const advice = await unlessLeft(kept.ran, signal)
    if (advice !== undefined || signal.aborted)
      return { advice: advice ?? [], advised: [], fanOut: 'hit', turn }
  }
  if (open.failed && now() < open.failed.until)
    return { advice: open.failed.advice, advised: [], fanOut: 'hit', turn }
  return asked(options, view, { key, open, turn, tell })
}

interface Asking {
  readonly key: string
  readonly open: OpenTurn
  readonly turn: Advising['turn']
  readonly tell: (part: TurnPart) => void
}

async function asked(
  { caller, resolved, state, signal, inputs }: TurnOptions,
  view: AdvisoryView,
  { key, open, turn, tell }: Asking,
): Promise<Advising> {
  const { references } = resolved
  const { now = Date.now } = caller
  const of = { turn_id: turn.id, iteration: turn.iteration }
  const startedAt = now()
  tell({
    type: 'asking',
    ...of,
    references: references.map((slot) => ({ label: labelOf(slot), model: slot.model })),
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
      // What was broken off says nothing, and is asked again.
      if (aborted) return forget()
      const advice = advised.map(kept)
      if (hasFailed(advised)) {
        forget()
        open.failed = failedAgain(open.failed?.times ?? 0, advice, now(), now() - startedAt)
      } else {
        open.failed = undefined
        state.sized(entry, advice)
      }
      return advice
    },
    () => forget(),
  )
  const entry: KeptFanOut = { ran, size: 0 }
  const forget = (): undefined => {
    if (open.fanOuts.get(key) === entry) open.fanOuts.delete(key)
    return undefined
  }
  state.keepFanOut(open, key, entry)
  const [{ advised }, advice] = await Promise.all([running, ran])
  return { advice: advice ?? advised.map(kept), advised, fanOut: 'miss', turn }
}

/** Nobody answered of those who were asked. Who was left out from the start would be so again. */
const hasFailed = (advised: readonly Advised[]): boolean =>
  advised.every(({ error }) => error !== null) && advised.some(({ wasAsked }) => wasAsked)

const LEAST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 300_000

/** The next call asks anew. Where that fails too, they are left alone for as long as it took, each time twice as long. */
function failedAgain(
  before: number,
  advice: readonly KeptAdvice[],
  at: number,
  took: number,
): OpenTurn['failed'] {
  const times = before + 1
  const pause = times === 1 ? 0 : Math.max(took, LEAST_PAUSE_MS) * 2 ** Math.min(times - 2, 20)
  return { times, until: at + Math.min(pause, LONGEST_PAUSE_MS), advice }
}

const kept = ({ label, reply, error }: Advised): KeptAdvice => ({
  label,
  text: error === null ? saidOf(reply?.text ?? '') : null,
})

/** What comes of it, or nothing once nobody waits any more. */
async function unlessLeft<T>(ran: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined
  let leave = () => {}
  const left = new Promise<undefined>((done) => {
    leave = () => done(undefined)
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    return await Promise.race([ran, left])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
