import type { ChatMessage, Prices, Providers } from '@panoptes/engine/models'
import type { MoaPreset, MoaTurn, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { grownTurn } from './kept-turn.ts'
import { type ResolvedPreset, resolvePreset } from './presets.ts'
import { type SessionState, SessionStates } from './session.ts'
import { type PrivacyFilter, runTurn, type TurnAsk, type TurnCall, type TurnPart } from './turn.ts'

/** The first three are read anew with each turn: they may change meanwhile. */
export interface MoaOptions {
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: string | null
  readonly privacy: PrivacyFilter
  readonly providers: Providers
  readonly prices: Prices
  /** Is told of every call of a turn, and of the turn with it. It must not throw, and nobody waits for it. */
  readonly onCall?:
    | ((turn: MoaTurn, call: TurnCall, request: TurnRequest, preset: MoaPreset) => void)
    | undefined
  /** Is told of every part as it comes, but for the pieces of the answer. */
  readonly onPart?: ((part: TurnPart, request: TurnRequest) => void) | undefined
  /** Whether texts are written down. */
  readonly traced?: (() => boolean) | undefined
  readonly now?: (() => number) | undefined
}

export interface TurnRequest {
  readonly preset: string
  readonly session: string
  readonly ask: TurnAsk
  readonly signal: AbortSignal
  readonly from: MoaTurn['from']
  readonly replayOf?: string | undefined
  /** Nothing that is said in it is kept: neither its question nor a trace. */
  readonly isPrivate?: boolean | undefined
  /** Whose question it is, where people share a hub. Nobody else is told what was said. */
  readonly owner?: string | undefined
  /** What was asked before and is asked again, instead of a preset by its name. */
  readonly recorded?: Recorded | undefined
  /** Is told of the turn when it is kept, after its last part. */
  readonly onKept?: ((turn: MoaTurn) => void) | undefined
}

export interface Recorded {
  readonly resolved: ResolvedPreset
  /** What each reference was sent. */
  readonly inputs: readonly (readonly ChatMessage[])[]
}

/** Several models advise, one acts. */
export interface Moa {
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  /** The preset that is meant where none is named. */
  readonly defaultPreset: () => string | null
  readonly run: (request: TurnRequest) => Result<AsyncIterable<TurnPart>>
}

export function openMoa(options: MoaOptions): Moa {
  const { providers, prices, onCall, onPart, traced = () => false, now } = options
  const states = new SessionStates()
  const keep = (call: TurnCall, request: TurnRequest, preset: MoaPreset, state: SessionState) => {
    const { ask, session, from, replayOf, isPrivate = false, owner } = request
    const about = {
      session,
      from,
      replayOf,
      isPrivate,
      owner,
      traced: traced() && !isPrivate,
      keys: providers.secrets(),
    }
    const turn = grownTurn(state.grown(call.turnId), call, ask, about)
    state.grow(turn)
    onCall?.(turn, call, request, preset)
    request.onKept?.(turn)
  }
  return {
    presets: () => options.presets,
    defaultPreset: () => {
      const { presets, defaultPreset } = options
      return defaultPreset !== null && Object.hasOwn(presets, defaultPreset)
        ? defaultPreset
        : (Object.keys(presets)[0] ?? null)
    },
    run: (request) => {
      const { recorded, session, owner = '' } = request
      const resolved = recorded ? success(recorded.resolved) : resolvePreset(options.presets, request.preset)
      if (!resolved.ok) return resolved
      const state = (recorded ? new SessionStates() : states).of(`${owner}\0${session}`, request.preset)
      return success(
        told(
          runTurn({
            caller: { providers, prices, now },
            resolved: resolved.value,
            session,
            state,
            ask: request.ask,
            signal: request.signal,
            privacy: options.privacy,
            inputs: recorded?.inputs,
          }),
          (part) => onPart?.(part, request),
          (call) => keep(call, request, resolved.value.preset, state),
        ),
      )
    },
  }
}

/** Whoever reads it gets every part first; what is kept of it comes after. */
async function* told(
  parts: AsyncIterable<TurnPart>,
  tell: (part: TurnPart) => void,
  keep: (call: TurnCall) => void,
): AsyncGenerator<TurnPart, undefined> {
  let call: TurnCall | undefined
  try {
    for await (const part of parts) {
      if (part.type !== 'chunk') quietly(() => tell(part))
      if (part.type === 'end' || part.type === 'failed') call = part.call
      yield part
    }
  } finally {
    const over = call
    if (over) quietly(() => keep(over))
  }
}

/** Whoever is told breaks no turn. */
function quietly(tell: () => void): void {
  try {
    tell()
  } catch {
    // It is told beside the turn.
  }
}
