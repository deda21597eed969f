import { IconButton } from '../../design/button.tsx'
import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import type { DraftFile } from './files.ts'

const w = words.chat.composer

/** The files of the message, each with a button to remove it. */
export function AttachedFiles(props: {
  readonly files: readonly DraftFile[]
  readonly onRemove: (at: number) => void
}) {
  if (props.files.length === 0) return null
  return (
    <ul aria-label={w.files} className="flex max-h-24 flex-wrap gap-1.5 overflow-y-auto pb-2">
      {props.files.map((file, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
          key={i}
          className="flex h-7 max-w-60 items-center gap-1.5 rounded-chip border border-line bg-surface pl-2 text-12 touch:h-11"
        >
          <Icon name="clip" size={12} />
          <span className="min-w-0 truncate" title={file.name}>
            {file.name}
          </span>
          <span className="text-11 whitespace-nowrap text-text-3">{f.bytes(file.bytes)}</span>
          <IconButton
            kind="quiet"
            icon="close"
            label={w.remove(file.name)}
            className="h-6! w-6! touch:h-11! touch:w-11!"
            onClick={() => props.onRemove(i)}
          />
        </li>
      ))}
    </ul>
  )
}
