import { ActionMenu } from '../../design/action-menu.tsx'
import { words } from '../../words.ts'
import { copySession } from './copy.ts'
import { type SessionRef, sessionPath } from './pages.ts'

const w = words.transcript

/** Copies or downloads the session. */
export function ExportMenu({ sessionRef }: { readonly sessionRef: SessionRef }) {
  const files = (['jsonl', 'markdown', 'html'] as const).map((format) => ({
    label: w.saveAs[format],
    icon: 'download' as const,
    note: w.redacted,
    href: `${sessionPath(sessionRef)}/export?format=${format}`,
  }))
  return (
    <ActionMenu
      label={w.export}
      groups={[[{ label: w.copy, icon: 'copy', run: () => void copySession(sessionRef) }], files]}
    />
  )
}
