import type { AchievementsView } from '@panoptes/schema'
import { Confirm } from '../design/dialog.tsx'
import { words } from '../words.ts'

const w = words.achievements.reset

/** Asks before every unlock date is lost. */
export default function ResetDialog(props: {
  readonly view: AchievementsView
  readonly onConfirm: () => void
  readonly onClose: () => void
}) {
  return (
    <Confirm
      open
      title={w.title}
      body={props.view === 'hermes' ? w.bodyHermes : w.body}
      action={w.action}
      onConfirm={props.onConfirm}
      onClose={props.onClose}
    />
  )
}
