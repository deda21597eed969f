import { Dialog as Base } from '@base-ui/react/dialog'
import type { Conversation, RuntimeHealth, StoredChatMessage } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { hasRole, isMine, useMe } from '../api/me.ts'
import { IconButton } from '../design/button.tsx'
import { SidePanel } from '../design/side-panel.tsx'
import { toast } from '../design/toast.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { Page } from '../shell/page.tsx'
import { runAction, showFailure } from '../shell/show-failure.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { conversationApi } from './api/conversation-api.ts'
import { Talk } from './conversation-view.tsx'
import { Head } from './head/head.tsx'
import type { RuntimeChoice } from './head/pickers.tsx'
import { ConversationList } from './list/conversation-list.tsx'
import { removeOnLeave } from './list/pending-deletions.ts'
import { useConversations } from './list/use-conversations.ts'
import { readList, readOne, runtimesQuery } from './queries.ts'
import { defaultRuntime, isReady, useRuntimes } from './runtimes.ts'
import { type Change, readSearch } from './search-params.ts'
import { type SelectedMessage, Side } from './side/side.tsx'
import type { ThreadActions } from './thread/slots.tsx'
import { useChatView } from './use-chat-view.ts'
import { useSend } from './use-send.ts'

const w = words.chat
const route = getRouteApi('/chat')

export default function ChatPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const id = search.c ?? null
  const runtimes = useRuntimes()
  const areRuntimesLoaded = useQuery(runtimesQuery).data !== undefined
  const list = useConversations(search.q ?? '')
  const all = useConversations('')
  const view = useChatView(id)
  const { conversation, run } = view
  const [chosen, choose] = useChosen(conversation, id, runtimes)
  const [looked, setLooked] = useState<(SelectedMessage & { readonly id: string }) | null>(null)
  const [over, setOver] = useState<'list' | 'panel' | null>(null)
  const isDesk = useMedia('(min-width: 760px)')
  const isWide = useMedia('(min-width: 1281px)')
  const field = useRef<HTMLTextAreaElement>(null)
  const find = useRef<HTMLInputElement>(null)
  useEffect(removeOnLeave, [])
  useEffect(() => {
    if (search.new) field.current?.focus()
  }, [search.new])

  const go = useCallback(
    (change: Change, replace = false) =>
      void navigate({ search: (before) => readSearch({ ...before, ...change }), replace }),
    [navigate],
  )
  const toFresh = useCallback(() => {
    setOver(null)
    go({ c: undefined, m: undefined, new: true })
    field.current?.focus()
  }, [go])
  const onMade = useCallback((made: string) => go({ c: made, m: undefined, new: undefined }), [go])
  const onEdit = useCallback(() => field.current?.focus(), [])
  const sending = useSend({ id, chosen, view, onMade, onEdit })

  const me = useMe()
  const mayFork = hasRole(me, 'member')
  const mayTell = mayFork && (conversation === undefined || isMine(conversation, me))
  const { answer, isRunning } = view
  const { edit, retry } = sending
  const rows = useRef(view.rows)
  rows.current = view.rows
  const actions = useMemo<ThreadActions>(
    () => ({
      conversation: id ?? '',
      runtimes,
      isBusy: isRunning,
      mayFork,
      mayTell,
      onFork: (message) =>
        void runAction(async () => {
          const made = await conversationApi.fork(id ?? '', message)
          go({ c: made.id, m: undefined })
          toast({ text: w.thread.forked })
          await readList()
        }),
      onSent: (to, ts) => {
        setLooked({ id: id ?? '', message: to, ts })
        setOver('panel')
      },
      onRetry: (to, runtime) => {
        const row = rows.current.find(({ message }) => message.id === to)
        if (row) retry(row.message, runtime)
      },
      onEdit: edit,
      onAnswer: answer,
    }),
    [id, runtimes, isRunning, mayFork, mayTell, edit, retry, answer, go],
  )
  useChatKeys({
    rows: list.rows ?? [],
    id,
    isRunning: isRunning && mayTell,
    field,
    find,
    onOpen: (c) => go({ c, m: undefined, new: undefined }),
    onFresh: toFresh,
    onStop: () => void view.stop().catch(showFailure),
    onClose: () => setOver(null),
  })

  const conversations = (
    <ConversationList
      list={list}
      search={search}
      runtimes={runtimes}
      find={find}
      onFind={(q) => go({ q }, true)}
      onFresh={toFresh}
      onOpen={() => setOver(null)}
    />
  )
  return (
    <Page
      title={w.title}
      {...(list.rows
        ? { sub: w.sub(list.total, all.total, runtimes.length, runtimes.filter(isReady).length) }
        : {})}
    >
      <Strips what={view.isLost ? w.answerWord : w.listWord} reading={false}>
        {null}
      </Strips>
      <div className="relative flex min-h-0 flex-1">
        {isDesk && (
          <nav aria-label={w.list.label} className="flex w-58 shrink-0 flex-col border-r border-line">
            {conversations}
          </nav>
        )}
        <div className="flex min-w-0 flex-1 flex-col">
          <Head
            conversation={conversation}
            runtimes={runtimes}
            chosen={chosen}
            mayTell={mayTell}
            isPanelOpen={over === 'panel'}
            onChoose={choose}
            onRename={(title) =>
              void runAction(async () => {
                await conversationApi.change(id ?? '', { title })
                await Promise.all([readOne(id ?? ''), readList()])
              })
            }
            onDeleted={() => go({ c: undefined, m: undefined }, true)}
            onList={() => setOver('list')}
            onPanel={() => setOver(over === 'panel' ? null : 'panel')}
          />
          <Talk
            id={id}
            message={search.m}
            view={view}
            mayTell={mayTell}
            sending={sending}
            actions={actions}
            runtimes={runtimes}
            areRuntimesLoaded={areRuntimesLoaded}
            runtime={chosen.runtime}
            field={field}
            onFresh={toFresh}
          />
        </div>
        {(isWide || over === 'panel') && (
          <SidePanel label={w.side.label} size="thin">
            <Side
              conversation={id}
              runtimes={runtimes}
              run={run}
              isSettled={view.isSettled}
              newest={newestQuestion(conversation?.messages)}
              isMine={conversation === undefined || isMine(conversation, me)}
              looked={looked !== null && looked.id === id ? looked : null}
              onLook={(next) => setLooked(next === null ? null : { ...next, id: id ?? '' })}
              onClose={() => setOver(null)}
            />
          </SidePanel>
        )}
      </div>
      {!isDesk && over === 'list' && (
        <Drawer title={w.list.label} onClose={() => setOver(null)}>
          {conversations}
        </Drawer>
      )}
    </Page>
  )
}

const newestQuestion = (messages: readonly StoredChatMessage[] | undefined): StoredChatMessage | null =>
  messages?.findLast(({ role }) => role === 'user') ?? null

/** The runtime that answers next. A choice applies at once and is stored with the conversation. */
function useChosen(
  conversation: Conversation | undefined,
  id: string | null,
  runtimes: readonly RuntimeHealth[],
): readonly [RuntimeChoice, (chosen: RuntimeChoice) => void] {
  const [picked, setPicked] = useState<{ readonly id: string | null; readonly chosen: RuntimeChoice } | null>(
    null,
  )
  const storedRuntime = conversation?.runtime ?? null
  const usual: RuntimeChoice =
    storedRuntime === null
      ? { runtime: defaultRuntime(runtimes)?.id ?? null, model: null }
      : { runtime: storedRuntime, model: conversation?.model ?? null }
  const choose = (chosen: RuntimeChoice) => {
    setPicked({ id, chosen })
    const { runtime, model } = chosen
    if (id === null || runtime === null) return
    void runAction(async () => {
      await conversationApi.change(id, { runtime, model })
      await Promise.all([readOne(id), readList()])
      setPicked((now) => (now?.chosen === chosen ? null : now))
    })
  }
  return [picked !== null && picked.id === id ? picked.chosen : usual, choose]
}

/** The shortcuts of the page. A focused field or question keeps its own keys. */
function useChatKeys(on: {
  readonly rows: readonly { readonly id: string }[]
  readonly id: string | null
  readonly isRunning: boolean
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly find: RefObject<HTMLInputElement | null>
  readonly onOpen: (id: string) => void
  readonly onFresh: () => void
  readonly onStop: () => void
  readonly onClose: () => void
}): void {
  const at = on.rows.findIndex(({ id }) => id === on.id)
  const step = (by: number) => () => {
    const next = on.rows[at < 0 ? 0 : at + by]
    if (next) on.onOpen(next.id)
  }
  useKeys({
    '/': () => on.find.current?.focus(),
    i: () => on.field.current?.focus(),
    c: on.onFresh,
    j: step(1),
    k: step(-1),
    a: toQuestion,
    d: toQuestion,
    Escape: () => (on.isRunning ? on.onStop() : on.onClose()),
  })
}

/** The first press only moves the focus there, so a key meant for something else never allows anything. */
const toQuestion = (): void => document.querySelector<HTMLElement>('[data-ask]')?.focus()

/** Shows side content beside the messages if there is room, and over them otherwise. */
function Drawer(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <Base.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Base.Popup
          initialFocus={false}
          className="fixed inset-y-0 left-0 z-40 flex w-[min(320px,86vw)] flex-col border-r border-line bg-surface shadow-float transition-transform duration-200 starting:-translate-x-full"
        >
          <div className="flex items-center justify-between border-b border-line py-1 pr-1 pl-3">
            <Base.Title className="text-15 font-semibold">{props.title}</Base.Title>
            <IconButton kind="quiet" icon="close" label={words.actions.close} onClick={props.onClose} />
          </div>
          {props.children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
