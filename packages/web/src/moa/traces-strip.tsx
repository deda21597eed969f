import type { PresetsReply } from '@panoptes/schema'
import { mayDecideForAll, useMe } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { Strip } from '../design/strip.tsx'
import { toast } from '../design/toast.tsx'
import { seen } from '../sessions/plain.ts'
import { saidBy } from '../sessions/strips.tsx'
import { words } from '../words.ts'
import { saveTraces } from './queries.ts'

const w = words.moa.traces

/** Says calmly that texts are not written down, what would be, and where; and offers it. */
export function TracesStrip(props: {
  readonly presets: PresetsReply | undefined
  /** What is said first. */
  readonly said: string
}) {
  const { presets } = props
  const maySwitch = mayDecideForAll(useMe())
  if (!presets) return null
  const folder = presets.trace_dir === null ? w.ledger : seen(presets.trace_dir)
  return (
    <div className="rounded-card border border-line bg-raised">
      <Strip
        {...(presets.save_traces || !maySwitch
          ? {}
          : { end: <Button onClick={() => void switchTraces(true)}>{w.on}</Button> })}
      >
        {props.said} {presets.save_traces ? w.onNow(folder) : w.what(folder)}
      </Strip>
    </div>
  )
}

export async function switchTraces(save: boolean): Promise<void> {
  try {
    await saveTraces(save)
    toast({ text: save ? w.switchedOn : w.switchedOff, undo: () => void switchTraces(!save) })
  } catch (error) {
    toast({ text: w.failed(error instanceof Error ? saidBy(error) : String(error)), tone: 'failed' })
  }
}
