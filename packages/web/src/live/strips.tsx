import { UsedUpStrip } from '../budgets/used-up-strip.tsx'
import { Strip } from '../design/strip.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { pageAgents } from './data/page-agents.ts'
import type { Scene } from './data/scene.ts'

const w = words.live

/** Notices about the graph, shown above it. */
export function LiveStrips({ scene, failed }: { readonly scene: Scene; readonly failed: boolean }) {
  const { leftOut } = useStore(pageAgents)
  const first = scene.conflicts[0]
  return (
    <Strips what={w.graphWord} reading={false}>
      <UsedUpStrip />
      {leftOut > 0 && <Strip glyph="stuck">{w.leftOut(leftOut)}</Strip>}
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
    </Strips>
  )
}
