import type { PresetsReply } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import { canDecideForAll, useMe } from '../api/me.ts'
import { Button } from '../design/button.tsx'
import { Strip } from '../design/strip.tsx'
import { toast } from '../design/toast.tsx'
import { errorText } from '../sessions/strips.tsx'
import { words } from '../words.ts'
import { saveTraces } from './queries.ts'

const w = words.moa.traces

/** Says that text is not recorded and where it would be stored, and offers to record it. */
export function TracesStrip(props: {
  readonly presets: PresetsReply | undefined
  /** The first sentence. */
  readonly message: string
}) {
  const { presets } = props
  const maySwitch = canDecideForAll(useMe())
  if (!presets) return null
  const folder = presets.trace_dir === null ? w.ledger : toVisible(presets.trace_dir)
  return (
    <div className="rounded-card border border-line bg-raised">
      <Strip
        {...(presets.save_traces || !maySwitch
          ? {}
          : { end: <Button onClick={() => void switchTraces(true)}>{w.on}</Button> })}
      >
        {props.message} {presets.save_traces ? w.onNow(folder) : w.what(folder)}
      </Strip>
    </div>
  )
}

export async function switchTraces(save: boolean): Promise<void> {
  try {
    await saveTraces(save)
    toast({ text: save ? w.switchedOn : w.switchedOff, undo: () => void switchTraces(!save) })
  } catch (error) {
    toast({ text: w.failed(errorText(error)), tone: 'failed' })
  }
}
