import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import type { ReplayClock } from './clock.ts'

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
