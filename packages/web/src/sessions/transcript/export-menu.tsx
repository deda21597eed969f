import type { PastSession } from '@panoptes/schema'
import { ActionMenu } from '../../design/action-menu.tsx'
import { words } from '../../words.ts'
import { copySession } from './copy.ts'
import type { SessionRef } from './pages.ts'

const w = words.transcript

/** Ways to take a session along. */
export function ExportMenu(props: {
  readonly session: PastSession
  readonly sessionRef: SessionRef
  readonly onForgotten: () => void
}) {
  const { sessionRef } = props
  return (
    <ActionMenu
      label={w.export}
      groups={[[{ label: w.copy, icon: 'copy', run: () => void copySession(sessionRef) }]]}
    />
  )
}
