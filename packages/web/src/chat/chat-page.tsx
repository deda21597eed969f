import type { StoredChatMessage } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { isMine, may, useMe } from '../api/me.ts'
import { SidePanel } from '../design/side-panel.tsx'
import { toast } from '../design/toast.tsx'
import { Strips } from '../shell/connection-strips.tsx'
import { Page } from '../shell/page.tsx'
import { useMedia } from '../shell/use-media.ts'
import { words } from '../words.ts'
import { conversationApi } from './api/conversation-api.ts'
import { Head } from './head/head.tsx'
import { ConversationList } from './list/conversation-list.tsx'
import { Drawer } from './list/drawer.tsx'
import { removeOnLeave } from './list/going.ts'
import { useConversations } from './list/use-conversations.ts'
import { readList, readOne, runtimesQuery } from './queries.ts'
import { useRuntimes } from './runtimes.ts'
import { act, sayFailed } from './say-failed.ts'
import { type Change, readSearch } from './search.ts'
import { type Looked, Side } from './side/side.tsx'
import { Talk } from './talk.tsx'
import type { ThreadActions } from './thread/slots.tsx'
import { useChatKeys } from './use-chat-keys.ts'
import { useChatView } from './use-chat-view.ts'
import { useChosen } from './use-chosen.ts'
import { useSend } from './use-send.ts'

const w = words.chat
const route = getRouteApi('/chat')

export default function ChatPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const id = search.c ?? null
  const runtimes = useRuntimes()
  const areRuntimesKnown = useQuery(runtimesQuery).data !== undefined
  const list = useConversations(search.q ?? '')
  const all = useConversations('')
  const view = useChatView(id)
  const { conversation, run } = view
  const [chosen, choose] = useChosen(conversation, id, runtimes)
  const [looked, setLooked] = useState<(Looked & { readonly id: string }) | null>(null)
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
  const mayFork = may(me, 'member')
  const mayTell = mayFork && (conversation === undefined || isMine(conversation, me))
  const { answer, isRunning } = view
  const { edit, retry } = sending
  const said = useRef(view.rows)
  said.current = view.rows
  const actions = useMemo<ThreadActions>(
    () => ({
      conversation: id ?? '',
      runtimes,
      isBusy: isRunning,
      mayFork,
      mayTell,
      onFork: (message) =>
        void act(async () => {
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
        const asked = said.current.find(({ message }) => message.id === to)
        if (asked) retry(asked.message, runtime)
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
    onStop: () => void view.stop().catch(sayFailed),
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
    <Page title={w.title} {...(list.rows ? { sub: w.sub(list.total, all.total, runtimes.length) } : {})}>
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
              void act(async () => {
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
            areRuntimesKnown={areRuntimesKnown}
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
              newest={newestOf(conversation?.messages)}
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

const newestOf = (messages: readonly StoredChatMessage[] | undefined): StoredChatMessage | null =>
  messages?.findLast(({ role }) => role === 'user') ?? null
