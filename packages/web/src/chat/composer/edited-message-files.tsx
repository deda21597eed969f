import type { ChatFile } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { IconButton } from '../../design/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { words } from '../../words.ts'

const w = words.chat.composer
const NAME = 60

/** The files of the edited message, which are sent again unless the person removes them. */
export function StoredFiles(props: { readonly files: readonly ChatFile[]; readonly onRemove: () => void }) {
  if (props.files.length === 0) return null
  const names = props.files.map(({ name }) => toVisibleLine(name, NAME)).join(', ')
  return (
    <p className="flex items-center gap-1.5 pb-2 text-12 text-text-2">
      <Icon name="clip" size={12} />
      <span className="min-w-0 truncate" title={names}>
        {w.reusedFiles(names)}
      </span>
      <IconButton
        kind="quiet"
        icon="close"
        label={w.removeReused}
        className="h-6! w-6! touch:h-11! touch:w-11!"
        onClick={props.onRemove}
      />
    </p>
  )
}
