import type { Timeline, TimelineMark } from '@panoptes/schema'
import { Button, IconButton } from '../../design/button.tsx'
import { ChipMenu } from '../../design/chip.tsx'
import { classes } from '../../design/class-names.ts'
import { Glyph, type GlyphName } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { type ClockMove, type ReplayClock, SPEEDS } from './clock.ts'
import { type SpanName, spanChoices } from './span.ts'
import { Track } from './track.tsx'
import type { Span } from './use-timeline.ts'

const w = words.live.scrubber

export interface ScrubberProps {
  readonly clock: ReplayClock
  readonly span: Span
  readonly timeline: Timeline | null
  readonly live: boolean
  /** The connection is lost, so the shown state is not live. */
  readonly stale?: boolean
  readonly move: (move: ClockMove) => void
  readonly onStep: (by: -1 | 1) => void
  readonly onJump: (kind: TimelineMark['kind'], by: -1 | 1) => void
  /** The chosen time range; absent if it cannot be chosen. */
  readonly spanName?: SpanName
  readonly onSpan?: (name: SpanName) => void
}

/** The timeline under the graph: drag, play, jump, and return to live. */
export function Scrubber(props: ScrubberProps) {
  const { clock, span, move } = props
  return (
    <section aria-label={w.label} className="shrink-0 border-t border-line px-4 pt-2 max-desk:pt-3">
      <div className="flex items-center gap-2 pb-2 max-desk:hidden">
        <IconButton icon="stepBack" label={w.back} onClick={() => props.onStep(-1)} />
        <IconButton
          icon={clock.playing ? 'pause' : 'play'}
          label={clock.playing ? w.pause : w.play}
          onClick={() => move({ type: 'toggle', from: span.from })}
        />
        <IconButton icon="stepOn" label={w.forward} onClick={() => props.onStep(1)} />
        <ChipMenu
          label={w.speed}
          shown={w.times(clock.speed)}
          choices={SPEEDS.map((speed) => ({ value: String(speed), label: w.times(speed) }))}
          chosen={[String(clock.speed)]}
          onChange={([value]) => move({ type: 'speed', speed: Number(value ?? 1) })}
          empty=""
        />
        {props.timeline?.slices.every((slice) => slice.events === 0) ? (
          <span className="truncate pl-2 text-12 text-text-3">{w.empty}</span>
        ) : (
          <>
            <span className="pl-2 text-12 text-text-3">{w.jump}</span>
            <Jump glyph="spawn" word={w.kinds.spawn} onJump={(by) => props.onJump('spawn', by)} />
            <Jump glyph="waiting" word={w.kinds.wait} onJump={(by) => props.onJump('wait', by)} />
            <Jump glyph="failed" word={w.kinds.failure} onJump={(by) => props.onJump('failure', by)} />
          </>
        )}
        <span className="flex-1" />
        {props.spanName !== undefined && (
          <ChipMenu
            label={w.span}
            shown={w.spans[props.spanName]}
            choices={spanChoices}
            chosen={[props.spanName]}
            onChange={([value]) => props.onSpan?.((value as SpanName | undefined) ?? 'hour')}
            empty=""
          />
        )}
        {props.live && (
          <LiveButton at={clock.at} stale={props.stale ?? false} onLive={() => move({ type: 'live' })} />
        )}
      </div>
      <Track
        timeline={props.timeline}
        span={span}
        at={clock.at}
        live={props.live}
        onSeek={(at) => move({ type: 'seek', at })}
        onLive={() => move({ type: 'live' })}
      />
    </section>
  )
}

function Jump(props: {
  readonly glyph: GlyphName
  readonly word: string
  readonly onJump: (by: -1 | 1) => void
}) {
  return (
    <Button
      kind="quiet"
      onClick={(event) => props.onJump(event.shiftKey ? -1 : 1)}
      aria-label={`${w.jump} ${props.word}`}
      title={w.jumpBack}
    >
      <Glyph name={props.glyph} size={12} />
      {props.word}
    </Button>
  )
}

function LiveButton(props: {
  readonly at: number | null
  readonly stale: boolean
  readonly onLive: () => void
}) {
  const { at, stale, onLive } = props
  if (at !== null)
    return (
      <Button kind="main" onClick={onLive}>
        {w.backToLive}
      </Button>
    )
  return (
    <span
      className={classes(
        'inline-flex h-7 items-center gap-1.5 rounded-control border px-2.5 text-12 font-medium',
        stale ? 'border-line-strong text-text-3' : 'border-done text-done',
      )}
    >
      <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
        <circle cx="4" cy="4" r="4" fill="currentColor" />
      </svg>
      {w.live}
    </span>
  )
}

/** Marks the graph in gold when it is not live. */
export function ReplayBadge(props: {
  readonly clock: ReplayClock
  readonly now: number | null
  readonly onToggle: () => void
}) {
  const { clock, now } = props
  if (clock.at === null) return null
  const age = now === null ? null : (f.age(now - clock.at) ?? f.duration(now - clock.at))
  return (
    <button
      type="button"
      onClick={props.onToggle}
      className="absolute bottom-3 left-1/2 z-10 flex h-8 -translate-x-1/2 items-center gap-2 rounded-control bg-gold px-3 text-12 font-semibold whitespace-nowrap text-gold-ink shadow-float touch:h-11"
    >
      <Icon name={clock.playing ? 'pause' : 'play'} size={14} />
      {words.live.scrubber.replay(f.clock(clock.at), clock.speed, age)}
    </button>
  )
}
