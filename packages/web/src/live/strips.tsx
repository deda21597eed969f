import { Button } from '../design/button.tsx'
import { Strip } from '../design/strip.tsx'
import { useMissed } from '../events/use-missed.ts'
import * as f from '../format.ts'
import { useNow } from '../shell/use-now.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import type { Scene } from './data/scene.ts'

const w = words.live

/** What someone must know about the graph, above it. */
export function Strips({ scene, failed }: { readonly scene: Scene; readonly failed: boolean }) {
  const missed = useMissed(false)
  const first = scene.conflicts[0]
  return (
    <div className="shrink-0 divide-y divide-line border-line bg-raised not-empty:border-b">
      <Stale />
      {missed > 0 && <Strip glyph="stuck">{words.events.missed(missed)}</Strip>}
      {failed && (
        <Strip alert glyph="failed">
          {w.scrubber.failed}
        </Strip>
      )}
      {first && (
        <Strip glyph="stuck">
          {w.conflict(first.file, first.agents.length)}
          {scene.conflicts.length > 1 && `, ${w.conflictMore(scene.conflicts.length - 1)}`}
        </Strip>
      )}
    </div>
  )
}

function Stale() {
  const { link, lostAt } = useStore(pageTail.state)
  const now = useNow()
  if (lostAt === null || link === 'connecting' || now - lostAt < 1_000) return null
  return (
    <Strip glyph="stuck" end={<Button onClick={pageTail.retry}>{words.actions.tryAgain}</Button>}>
      {w.stale(f.duration(Math.floor((now - lostAt) / 1_000) * 1_000))}
    </Strip>
  )
}
