import type { Conversation, RuntimeHealth } from '@panoptes/schema'
import { markdownLine, markdownText, toVisibleLine } from '@panoptes/schema/shown'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { hasRole, isMine, useMe } from '../../api/me.ts'
import { ActionMenu } from '../../design/action-menu.tsx'
import { IconButton } from '../../design/button.tsx'
import { chipClass } from '../../design/chip.tsx'
import { copyText } from '../../design/copy-button.tsx'
import { Icon } from '../../design/icon.tsx'
import { toast } from '../../design/toast.tsx'
import { words } from '../../words.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { deleteWithUndo } from '../list/pending-deletions.ts'
import { readList, readOne } from '../queries.ts'
import { runtimeTitle } from '../runtimes.ts'
import { Pickers, type RuntimeChoice } from './pickers.tsx'

const w = words.chat.head
const LONGEST = 200
const shareWords = words.team.share
const LONGEST_NAME = 60

/** The title of a conversation, the runtime that answers next, and the actions on the whole of it. */
export function Head(props: {
  readonly conversation: Conversation | undefined
  readonly runtimes: readonly RuntimeHealth[]
  readonly chosen: RuntimeChoice
  /** Whether the person may change it rather than only read it. */
  readonly mayTell: boolean
  readonly isPanelOpen: boolean
  readonly onChoose: (chosen: RuntimeChoice) => void
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
          {toVisibleLine(conversation.title, 200) || words.chat.untitled}
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
                  run: () => void copyText(toMarkdown(conversation), w.copied(conversation.messages.length)),
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

const MOST_LINE = 500
const line = (text: string): string => markdownLine(text, MOST_LINE)

const NOBODY: readonly RuntimeHealth[] = []

/** The conversation as Markdown. */
export const toMarkdown = ({ title, messages }: Pick<Conversation, 'title' | 'messages'>): string =>
  [
    `# ${line(title) || words.chat.untitled}`,
    ...messages
      .filter(({ content }) => content !== '')
      .map(({ role, runtime, content }) => {
        const who = role === 'user' ? words.chat.thread.you : runtimeTitle(NOBODY, runtime)
        return `## ${line(who)}\n\n${markdownText(content)}`
      }),
  ].join('\n\n')

/** The title of a conversation; pressing it renames the conversation. */
function Title(props: { readonly title: string; readonly onRename: (title: string) => void }) {
  const { title } = props
  const [typed, setTyped] = useState<string | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const isTyping = typed !== null
  useEffect(() => {
    if (isTyping) field.current?.select()
  }, [isTyping])
  const end = (isCommit: boolean) => {
    const next = typed?.trim() ?? ''
    setTyped(null)
    if (isCommit && next !== '' && next !== title) props.onRename(next)
    requestAnimationFrame(() => button.current?.focus())
  }
  if (typed !== null)
    return (
      <input
        ref={field}
        type="text"
        aria-label={w.renameLabel}
        maxLength={LONGEST}
        value={typed}
        autoComplete="off"
        className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-raised px-2 text-15 font-semibold touch:h-11"
        onChange={(event) => setTyped(event.target.value)}
        onBlur={() => typed !== null && end(true)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') end(true)
          if (event.key === 'Escape') end(false)
        }}
      />
    )
  const shown = toVisibleLine(title, LONGEST) || words.chat.untitled
  return (
    <h2 className="min-w-0 flex-1 text-15 font-semibold">
      <button
        ref={button}
        type="button"
        title={w.rename}
        className="group flex max-w-full items-center gap-2 rounded-control text-left touch:min-h-11"
        onClick={() => setTyped(title)}
      >
        <span className="truncate">{shown}</span>
        <span className="flex text-text-3 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100">
          <Icon name="pencil" size={12} />
        </span>
        <span className="sr-only">, {w.rename}</span>
      </button>
    </h2>
  )
}

/** Shows whether others in the space can read the conversation; nothing if there are no others. */
function ShareSwitch({ conversation }: { readonly conversation: Conversation }) {
  const me = useMe()
  const { id, owner, shared = false } = conversation
  const change = useMutation({
    mutationFn: (next: boolean) => conversationApi.change(id, { shared: next }),
    onSuccess: (_, next) => toast({ text: next ? shareWords.nowOn(me?.space ?? '') : shareWords.nowOff }),
    onError: (error) => toast({ text: error.message, tone: 'failed' }),
    onSettled: () => Promise.all([readOne(id), readList()]),
  })
  if (me === null || owner == null) return null
  if (!isMine(conversation, me))
    return (
      <span className="flex items-center gap-1 text-11 whitespace-nowrap text-text-3">
        <Icon name="people" size={14} />
        {shareWords.by(toVisibleLine(conversation.owner_name ?? shareWords.somebody, LONGEST_NAME))}
      </span>
    )
  const seen = shared ? shareWords.on(me.space) : shareWords.off
  return (
    <button
      type="button"
      role="switch"
      aria-checked={shared}
      className={chipClass(shared)}
      aria-label={`${shareWords.label}. ${seen}`}
      title={seen}
      disabled={change.isPending || !hasRole(me, 'member')}
      onClick={() => change.mutate(!shared)}
    >
      <Icon name={shared ? 'people' : 'person'} size={14} />
      <span>{shared ? shareWords.label : shareWords.off}</span>
    </button>
  )
}
