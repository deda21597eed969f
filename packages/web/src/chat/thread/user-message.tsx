import type { StoredChatMessage } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { Button } from '../../design/button.tsx'
import { copyText } from '../../design/copy-button.tsx'
import { Icon } from '../../design/icon.tsx'
import * as f from '../../format.ts'
import { Text } from '../../sessions/transcript/text.tsx'
import { words } from '../../words.ts'

const w = words.chat.thread
const NAME = 60
const WHOLE = { n: 0, at: 0 }

/** A message of the person, on the right, with its files. */
export function UserMessage(props: {
  readonly message: StoredChatMessage
  readonly canEdit: boolean
  readonly onEdit: (message: StoredChatMessage) => void
}) {
  const { message } = props
  return (
    <article
      id={`message-${message.id}`}
      aria-label={`${w.you}, ${f.clock(message.ts)}`}
      className="group relative flex flex-col items-end gap-1"
    >
      <div className="max-w-130 min-w-0 rounded-card rounded-br-tag bg-high px-3 py-2">
        <Text text={message.content} rest={WHOLE} />
        {message.files.length > 0 && (
          <ul className="flex flex-wrap gap-x-3 pt-1 text-11 text-text-3">
            {message.files.map((file, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
              <li key={i} className="flex min-w-0 items-center gap-1.5">
                <Icon name="clip" size={12} />
                <span className="truncate">
                  {toVisibleLine(file.name, NAME)} · {f.bytes(file.bytes)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="absolute top-full right-0 flex h-7 items-center bg-surface opacity-0 group-focus-within:z-10 group-focus-within:opacity-100 group-hover:z-10 group-hover:opacity-100 touch:static touch:h-11 touch:opacity-100">
        <span className="pr-1 text-11 text-text-3" title={f.moment(message.ts)}>
          {f.clock(message.ts).slice(0, 5)}
        </span>
        <Button
          kind="quiet"
          icon="copy"
          className={SMALL}
          onClick={() => void copyText(message.content, words.actions.copied)}
        >
          {w.copy}
        </Button>
        {props.canEdit && (
          <Button kind="quiet" icon="pencil" className={SMALL} onClick={() => props.onEdit(message)}>
            {w.edit}
          </Button>
        )}
      </div>
    </article>
  )
}

export const SMALL = 'h-6.5! px-1.5! text-11! font-normal! text-text-3! hover:text-text! touch:h-11!'
