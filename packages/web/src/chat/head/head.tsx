import type { Conversation, RuntimeHealth } from '@panoptes/schema'
import { Link } from '@tanstack/react-router'
import { ActionMenu } from '../../design/action-menu.tsx'
import { IconButton } from '../../design/button.tsx'
import { copyText } from '../../design/copy-button.tsx'
import { Icon } from '../../design/icon.tsx'
import { oneLine } from '../../sessions/plain.ts'
import { words } from '../../words.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { deleteWithUndo } from '../list/going.ts'
import { markdownOf } from './markdown-of.ts'
import { type Chosen, Pickers } from './pickers.tsx'
import { ShareSwitch } from './share.tsx'
import { Title } from './title.tsx'

const w = words.chat.head

/** What a conversation is called, who answers next, and what can be done with the whole of it. */
export function Head(props: {
  readonly conversation: Conversation | undefined
  readonly runtimes: readonly RuntimeHealth[]
  readonly chosen: Chosen
  /** Whether they may change it, and not only read it. */
  readonly mayTell: boolean
  readonly isPanelOpen: boolean
  readonly onChoose: (chosen: Chosen) => void
  readonly onRename: (title: string) => void
  readonly onDeleted: () => void
  readonly onList: () => void
  readonly onPanel: () => void
}) {
  const { conversation, mayTell } = props
  return (
    <header className="flex min-h-12.5 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-5 py-1.5 max-desk:px-2.5">
      <span className="desk:hidden">
        <IconButton kind="quiet" icon="events" label={words.chat.list.toList} onClick={props.onList} />
      </span>
      {conversation && !mayTell ? (
        <h2 className="min-w-0 flex-1 truncate text-15 font-semibold">
          {oneLine(conversation.title, 200) || words.chat.untitled}
        </h2>
      ) : conversation ? (
        <Title key={conversation.id} title={conversation.title} onRename={props.onRename} />
      ) : (
        <h2 className="min-w-0 flex-1 truncate text-15 font-semibold">{words.chat.untitled}</h2>
      )}
      {conversation?.forked_from != null && (
        <Link
          to="/chat"
          search={{ c: conversation.forked_from.id, m: conversation.forked_from.message_id }}
          title={w.forkedFrom}
          className="flex items-center gap-1 text-11 whitespace-nowrap text-text-3 hover:text-text touch:h-11"
        >
          <Icon name="fork" size={14} />
          {w.forked}
        </Link>
      )}
      {conversation && <ShareSwitch conversation={conversation} />}
      <span aria-hidden="true" className="order-2 basis-full desk:hidden" />
      <span className="flex min-w-0 flex-1 flex-wrap items-center gap-2 max-desk:order-3 desk:flex-none">
        {mayTell && <Pickers runtimes={props.runtimes} chosen={props.chosen} onChange={props.onChoose} />}
      </span>
      <span className="flex items-center gap-2 max-desk:order-4">
        {conversation && conversation.messages.length > 0 && (
          <ActionMenu
            label={w.export}
            groups={[
              [
                {
                  label: w.exportAs.markdown,
                  href: conversationApi.exportPath(conversation.id, 'markdown'),
                  icon: 'download',
                },
                {
                  label: w.exportAs.json,
                  href: conversationApi.exportPath(conversation.id, 'json'),
                  icon: 'download',
                },
              ],
              [
                {
                  label: w.copy,
                  icon: 'copy',
                  run: () => void copyText(markdownOf(conversation), w.copied(conversation.messages.length)),
                },
              ],
            ]}
          />
        )}
        {conversation && mayTell && (
          <IconButton
            kind="quiet"
            icon="trash"
            label={w.delete}
            onClick={() => {
              deleteWithUndo(conversation)
              props.onDeleted()
            }}
          />
        )}
      </span>
      <span className="max-desk:order-1 wide:hidden">
        <IconButton
          kind="quiet"
          icon="layers"
          label={w.panel}
          aria-expanded={props.isPanelOpen}
          onClick={props.onPanel}
        />
      </span>
    </header>
  )
}
