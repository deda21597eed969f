import { randomUUID } from 'node:crypto'
import { type Advised, fanOut } from './fan-out.ts'
import { labelOf } from './presets.ts'
import type { KeptAdvice, SessionState } from './session.ts'
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
  const { resolved, state, signal } = options
  const labels = resolved.references.map(labelOf)
  const { key, turn: turnKey } = state.rule.decide(resolved.preset.fanout, resolved.name, labels, view)
  if (isAskedAgain(state, turnKey, view)) {
    state.turn = undefined
    state.fanOut = undefined
  }
  const turn = nextCall(state, turnKey)
  if (labels.length === 0) return { advice: [], advised: [], fanOut: 'none', turn }
  // Who waits for the references of another who then left asks them himself; one of several does.
  while (state.fanOut?.key === key) {
    const advice = await unlessLeft(state.fanOut.ran, signal)
    if (advice !== undefined || signal.aborted)
      return { advice: advice ?? [], advised: [], fanOut: 'hit', turn }
  }
  return asked(options, view, { key, turn, tell })
}

/** The same was answered before, and nothing was said since: it is a new question, no further call of the old one. */
const isAskedAgain = (state: SessionState, key: string, { asked, messages }: AdvisoryView): boolean =>
  state.turn?.key === key && state.turn.id === state.answered && asked === messages.length

function nextCall(state: SessionState, key: string): Advising['turn'] {
  const before = state.turn?.key === key ? state.turn : { key, id: randomUUID(), iteration: 0 }
  state.turn = { ...before, iteration: before.iteration + 1 }
  return state.turn
}

interface Asking {
  readonly key: string
  readonly turn: Advising['turn']
  readonly tell: (part: TurnPart) => void
}

async function asked(
  { caller, resolved, state, signal, inputs }: TurnOptions,
  view: AdvisoryView,
  { key, turn, tell }: Asking,
): Promise<Advising> {
  const { references } = resolved
  const of = { turn_id: turn.id, iteration: turn.iteration }
  tell({
    type: 'asking',
    ...of,
    references: references.map((slot) => ({ label: labelOf(slot), model: slot.model })),
  })
  const running = fanOut({
    caller,
    resolved,
    view: view.messages,
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
  // What was broken off says nothing, and is asked again.
  const ran = running.then(
    ({ advised, aborted }) => {
      if (!aborted) return advised.map(kept)
      forget()
      return undefined
    },
    () => forget(),
  )
  const entry = { key, ran }
  const forget = (): undefined => {
    if (state.fanOut === entry) state.fanOut = undefined
    return undefined
  }
  state.fanOut = entry
  const [{ advised }, advice] = await Promise.all([running, ran])
  if (state.fanOut === entry) state.size = sizeOf(advice ?? [])
  return { advice: advice ?? advised.map(kept), advised, fanOut: 'miss', turn }
}

const kept = ({ label, reply, error }: Advised): KeptAdvice => ({
  label,
  text: error === null ? saidOf(reply?.text ?? '') : null,
})

const sizeOf = (advice: readonly KeptAdvice[]): number =>
  advice.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)

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
