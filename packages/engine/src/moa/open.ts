import type { ChatMessage, Prices, Providers } from '@panoptes/engine/models'
import type { MoaPreset, MoaTurn, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { type ResolvedPreset, resolvePreset } from './presets.ts'
import { type SessionState, SessionStates } from './session.ts'
import { addCall } from './stored-turn.ts'
import { type PrivacyFilter, runTurn, type TurnAsk, type TurnCall, type TurnPart } from './turn.ts'

/** The first three are functions because their values may change between turns. */
export interface MoaOptions {
  readonly presets: Readonly<Record<string, MoaPreset>>
  readonly defaultPreset: string | null
  readonly privacy: PrivacyFilter
  readonly providers: Providers
  readonly prices: Prices
  /**
   * Called for every call of a turn, together with the turn. It must not throw, and nothing waits
   * for it.
   */
  readonly onCall?:
    | ((turn: MoaTurn, call: TurnCall, request: TurnRequest, preset: MoaPreset) => void)
    | undefined
  /** Called for every part as it arrives, except the deltas of the answer. */
  readonly onPart?: ((part: TurnPart, request: TurnRequest) => void) | undefined
  /** True if turns are traced. */
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
  /** True if nothing of the turn may be stored: neither its question nor a trace. */
  readonly isPrivate?: boolean | undefined
  /** Who asked, on a hub that several people share. Nobody else may read the turn's texts. */
  readonly owner?: string | undefined
  /** A recorded call to replay, used instead of a named preset. */
  readonly recorded?: RecordedCall | undefined
  /** Called with the stored turn, after its last part. */
  readonly onStored?: ((turn: MoaTurn) => void) | undefined
}

export interface RecordedCall {
  readonly resolved: ResolvedPreset
  /** The recorded input of each reference. */
  readonly inputs: readonly (readonly ChatMessage[])[]
}

/** A mixture of agents: several models advise and one acts. */
export interface Moa {
  readonly presets: () => Readonly<Record<string, MoaPreset>>
  /** The preset that is used if a request names none. */
  readonly defaultPreset: () => string | null
  readonly run: (request: TurnRequest) => Result<AsyncIterable<TurnPart>>
}

export function openMoa(options: MoaOptions): Moa {
  const { providers, prices, onCall, onPart, traced = () => false, now } = options
  const states = new SessionStates()
  const recordCall = (call: TurnCall, request: TurnRequest, preset: MoaPreset, state: SessionState) => {
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
    const turn = addCall(state.getStoredTurn(call.turnId), call, ask, about)
    state.storeTurn(turn)
    onCall?.(turn, call, request, preset)
    request.onStored?.(turn)
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
      const state = (recorded ? new SessionStates() : states).getOrCreate(
        `${owner}\0${session}`,
        request.preset,
      )
      return success(
        reportParts(
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
          (call) => recordCall(call, request, resolved.value.preset, state),
        ),
      )
    },
  }
}

/** Passes every part to the reader first and stores it afterwards. */
async function* reportParts(
  parts: AsyncIterable<TurnPart>,
  tell: (part: TurnPart) => void,
  keep: (call: TurnCall) => void,
): AsyncGenerator<TurnPart, undefined> {
  let call: TurnCall | undefined
  try {
    for await (const part of parts) {
      if (part.type !== 'chunk') ignoreErrors(() => tell(part))
      if (part.type === 'end' || part.type === 'failed') call = part.call
      yield part
    }
  } finally {
    const over = call
    if (over) ignoreErrors(() => keep(over))
  }
}

/** Calls a listener. A listener that throws must not break the turn. */
function ignoreErrors(tell: () => void): void {
  try {
    tell()
  } catch {
    // The listener failed; the turn goes on.
  }
}
