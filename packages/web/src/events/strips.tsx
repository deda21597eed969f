import { Button } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { KeyCap } from '../design/key-cap.tsx'
import { Strip } from '../design/strip.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { words } from '../words.ts'
import type { EventList, ListState } from './list.ts'

const w = words.events

export type PauseReason = 'open' | 'paused' | 'scrolled' | null

/** Notices about the list, shown above it. */
export function EventStrips(props: {
  readonly list: EventList | null
  readonly state: ListState
  readonly hold: PauseReason
  readonly onLive: () => void
}) {
  const { state, hold } = props
  return (
    <Strips what={w.listWord} reading={state.reading}>
      {state.phase === 'failed' && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => props.list?.retry()}>{words.actions.tryAgain}</Button>}
        >
          {w.loadFailed} {state.error instanceof Error ? state.error.message : null}
        </Strip>
      )}
      {(hold === 'open' || hold === 'paused' || (hold === 'scrolled' && state.newer > 0)) && (
        <HoldStrip hold={hold} newer={state.newer} onLive={props.onLive} />
      )}
    </Strips>
  )
}

function HoldStrip(props: {
  readonly hold: PauseReason
  readonly newer: number
  readonly onLive: () => void
}) {
  const message = props.hold === 'open' ? w.holdOpen : props.hold === 'paused' ? w.holdPaused : w.holdScroll
  return (
    <div
      className={classes(
        'flex min-h-9 items-center gap-3 px-4 py-1 text-12 text-text-2',
        props.hold === 'open' && 'desk:max-roomy:pr-99',
      )}
    >
      <span className="min-w-0 flex-1">{message}</span>
      {props.newer > 0 && (
        <Button kind="main" icon="up" onClick={props.onLive}>
          {w.newer(props.newer)}
        </Button>
      )}
      <button
        type="button"
        className="flex h-7 items-center gap-1 text-11 text-text-3 hover:text-text touch:h-11"
        onClick={props.onLive}
      >
        <KeyCap>l</KeyCap>
        {w.live}
      </button>
    </div>
  )
}
