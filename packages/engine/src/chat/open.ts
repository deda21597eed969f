import { randomUUID } from 'node:crypto'
import { redactRow, redactText } from '@panoptes/engine/redact'
import type { Conversations, StoredConversation } from '@panoptes/engine/store'
import { type ChatInput, type Result, type RuntimeId, toRuntimeId } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type ActiveRun, beginRun, type RunOptions } from './begin-run.ts'
import type { Chat, Ownership, RunStream } from './chat.ts'
import type { AskModel } from './context/dependencies.ts'
import { formatFact } from './context/memory-files.ts'
import { createSummaryKeeper } from './context/summary/summary-keeper.ts'
import { createRuntimeDetector } from './default-runtime.ts'
import { conversationNotFound, createHead, toConversation } from './new-conversation.ts'
import { checkHealth } from './run/health.ts'
import { eventsAfter, type LiveRun, parseEvents, serializeEvents } from './run/live-run.ts'
import { answerRemoteRun, stopRemoteRun } from './run/remote-commands.ts'
import { followRemoteRun, hasEnded } from './run/remote-run.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'

export interface ChatOptions extends RunOptions {
  readonly adapters: readonly RuntimeAdapter[]
  /** The default runtime, ready or not; null uses the first one that is ready. */
  readonly defaultRuntime: RuntimeId | null
  /** Summarizes conversations after a run; null or omitted if no model is configured. */
  readonly ask?: AskModel | null | undefined
}

const nobody = failure(
  'invalid',
  'No runtime can answer yet. Start Ollama or LM Studio, or set up a runtime in config.yaml and restart Panoptes. "panoptes doctor" shows what is missing.',
)

export function openChat(given: ChatOptions): Chat {
  const conversations = createRedactingStore(given.conversations)
  const options = { ...given, conversations }
  const { adapters, budgetTokens } = options
  const summaries = createSummaryKeeper({ conversations, ask: options.ask ?? null, budgetTokens })
  const active = new Map<string, ActiveRun>()
  /** Runs whose beginning is still being stored. */
  const beginning = new Map<string, Promise<unknown>>()
  let isClosed = false
  const byId = new Map(adapters.map((adapter) => [adapter.id, adapter]))
  const getConversation = async (id: string) => {
    const stored = await conversations.get(id)
    if (!stored.ok) return stored
    return stored.value === null ? conversationNotFound(id) : success(stored.value)
  }
  const detector = createRuntimeDetector(adapters)
  const getAdapter = (name: string): Result<RuntimeAdapter> => {
    const adapter = byId.get(toRuntimeId(name))
    if (adapter) return success(adapter)
    const names = adapters.map((one) => one.id).join(', ')
    return failure('invalid', `Unknown runtime: ${name}. Available: ${names}.`)
  }
  const chooseAdapter = async (wanted: string | undefined, conversation: StoredConversation) => {
    const id = wanted ?? conversation.runtime ?? options.defaultRuntime ?? (await detector.get())
    return id === null ? nobody : getAdapter(id)
  }
  const begin = async (id: string, input: ChatInput) => {
    const begun = await beginRun(options, chooseAdapter, id, input)
    if (!begun.ok) return begun
    active.set(id, begun.value)
    void begun.value.over.then(() => {
      active.delete(id)
      summaries.schedule(id)
    })
    return success(toRunStream(begun.value.run, 0))
  }
  return {
    create: async ({ title = '', runtime, ...whose }) => {
      const wanted = runtime === undefined ? null : getAdapter(runtime)
      if (wanted?.ok === false) return wanted
      const head = createHead(redactText(title).text, wanted?.value.id ?? null, ownerFields(whose))
      const made = await conversations.create(head)
      return made.ok ? success(head) : made
    },
    get: async (id) => {
      const stored = await getConversation(id)
      return stored.ok ? success(toConversation(stored.value)) : stored
    },
    head: async (id) => {
      const stored = await conversations.head(id)
      if (!stored.ok) return stored
      return stored.value === null ? conversationNotFound(id) : success(stored.value)
    },
    list: conversations.list,
    change: async (id, { runtime, ...change }) => {
      if (runtime === undefined) return conversations.change(id, change)
      const wanted = getAdapter(runtime)
      return wanted.ok ? conversations.change(id, { ...change, runtime: wanted.value.id }) : wanted
    },
    fork: async (id, message, whose = {}) => {
      const stored = await getConversation(id)
      if (!stored.ok) return stored
      const { title, runtime, model, messages } = stored.value
      const head = createHead(title, runtime, {
        model,
        messages_count: messages.findIndex((one) => one.id === message) + 1,
        forked_from: { id, message_id: message },
        ...ownerFields(whose),
      })
      const made = await conversations.fork(id, message, head)
      return made.ok ? success(head) : made
    },
    chat: async (id, input) => {
      if (isClosed) return failure('closed', 'Panoptes is shutting down.')
      if (beginning.has(id) || active.has(id))
        return failure(
          'busy',
          'This conversation is already answering a message. Wait for the answer, or stop it.',
        )
      const begun = begin(id, input)
      beginning.set(id, begun)
      try {
        return await begun
      } finally {
        beginning.delete(id)
      }
    },
    cancel: async (id) => {
      await beginning.get(id)?.catch(() => {})
      const running = active.get(id)
      if (running === undefined) return stopRemoteRun(conversations, id)
      running.stop.abort()
      await running.over
      return success(null)
    },
    stream: async (id, lastEventId) => {
      await beginning.get(id)?.catch(() => {})
      const running = active.get(id)
      const [wanted, seq] = parseEventId(lastEventId)
      if (running && (wanted === null || wanted === running.run.identity.run_id))
        return success(toRunStream(running.run, seq))
      const stored = await getConversation(id)
      return stored.ok ? streamPastRun(conversations, stored.value, wanted, seq) : stored
    },
    answer: async (id, request, choice) =>
      active.get(id)?.answer(request, choice) ?? answerRemoteRun(conversations, id, { request, choice }),
    context: async (id, message) => {
      const sent = await conversations.sent(id, message)
      if (!sent.ok) return sent
      return sent.value
        ? success(sent.value.context)
        : failure('not_found', 'There is no record of what was sent with this message.')
    },
    runtimes: async (signal) => {
      const checks = adapters.map(async (adapter) => ({
        id: adapter.id,
        title: adapter.title,
        ...(await checkHealth(adapter, signal)),
      }))
      const healths = await Promise.all(checks)
      const usually = options.defaultRuntime ?? detector.update(healths)
      return healths.map((health) => ({ ...health, is_default: health.id === usually }))
    },
    ...createFacts(conversations),
    close: async () => {
      isClosed = true
      await Promise.allSettled(beginning.values())
      for (const { stop } of active.values()) stop.abort()
      await Promise.all([...active.values()].map(({ over }) => over))
      await Promise.all([...adapters.map((adapter) => adapter.close()), summaries.close()])
    },
  }
}

const ownerFields = ({ owner, ownerName }: Ownership) => ({
  ...(owner != null && { owner }),
  ...(owner != null && ownerName !== undefined && { owner_name: ownerName }),
})

/** Parses an event id such as `run-…:17`. */
function parseEventId(lastEventId: string | undefined): readonly [string | null, number] {
  const cut = lastEventId?.lastIndexOf(':') ?? -1
  const seq = Number(lastEventId?.slice(cut + 1))
  return cut < 1 || !Number.isSafeInteger(seq) ? [null, 0] : [lastEventId?.slice(0, cut) ?? null, seq]
}

const toRunStream = (run: LiveRun, seq: number): RunStream => ({
  run_id: run.identity.run_id,
  events: (signal) => run.after(seq, signal),
})

/** Streams a run that is not active in this process, from a position on. */
async function streamPastRun(
  conversations: Conversations,
  conversation: StoredConversation,
  wanted: string | null,
  seq: number,
): Promise<Result<RunStream>> {
  const newest = conversation.messages.findLast(({ run_id }) => run_id !== null)?.run_id
  const run_id = wanted ?? newest
  if (!run_id) return failure('not_found', 'This conversation has no answers yet.')
  const past = await conversations.events(run_id)
  if (!past.ok) return past
  const events = parseEvents(past.value?.events ?? '')
  // The run may be active in another process.
  if (conversation.run_id === run_id && !hasEnded(events)) {
    const elsewhere = { conversations, conversation: conversation.id, run_id }
    return success({ run_id, events: (signal) => followRemoteRun(elsewhere, seq, signal) })
  }
  if (past.value?.conversation !== conversation.id)
    return failure('not_found', 'The events of this run are no longer available.')
  return success({
    run_id,
    events: async function* () {
      yield* eventsAfter(events, seq)
    },
  })
}

const MOST_FACTS = 1_000

/** The remembered facts of each person. */
const createFacts = (conversations: Conversations): Pick<Chat, 'facts' | 'remember' | 'forgetFact'> => ({
  facts: conversations.facts,
  remember: async (said, owner) => {
    const { text } = redactText(said)
    const facts = await conversations.facts(owner)
    if (!facts.ok) return facts
    const existing = facts.value.find((fact) => fact.text === text)
    if (existing) return success(existing)
    if (facts.value.length >= MOST_FACTS)
      return failure('invalid', `You already have ${MOST_FACTS} facts, the maximum. Delete some first.`)
    const fact = { id: `fact-${randomUUID()}`, text, ts: Date.now() }
    const stored = await conversations.remember(fact, owner)
    return stored.ok ? success(fact) : stored
  },
  forgetFact: async (id, owner) => {
    const facts = await conversations.facts(owner)
    if (!facts.ok) return facts
    const existing = facts.value.find((fact) => fact.id === id)
    const was = existing ? await conversations.forgetFact(id, formatFact(existing.text)) : success(false)
    if (!was.ok) return was
    return was.value ? success(null) : failure('not_found', 'This fact does not exist.')
  },
})

/** Fields that identify messages and runs, or that only the runtime reads. */
const IDS: ReadonlySet<string> = new Set([
  ...['id', 'conversation', 'conversation_id', 'run_id', 'message_id', 'user_message_id', 'request_id'],
  ...['owner', 'compartment'],
])

const redact = <T>(value: T): T => redactRow(value, IDS) as T

/**
 * Wraps the store so that no secret of a known format is saved, whoever wrote it. The runtime still
 * gets a pasted key as it was written. Attached files stay unchanged, because they may have any
 * format.
 */
const createRedactingStore = (conversations: Conversations): Conversations => ({
  ...conversations,
  change: (id, change) => conversations.change(id, redact(change)),
  begin: (run) => conversations.begin({ ...redact(run), files: run.files }),
  progress: ({ events, ...run }) => conversations.progress({ ...redact(run), events: cleanEvents(events) }),
  end: ({ events, ...run }) => conversations.end({ ...redact(run), events: cleanEvents(events) }),
  setEpoch: (id, epoch) => conversations.setEpoch(id, redact(epoch)),
  setNextSummary: (id, next) => conversations.setNextSummary(id, redact(next)),
  setSent: (message, sent) => conversations.setSent(message, redact(sent)),
})

/**
 * A secret may span several chunks, so they are redacted as one text, which is then stored in the
 * first chunk.
 */
function cleanEvents(lines: string): string {
  const events = parseEvents(lines)
  const said = events.map((event) => (event.event === 'chunk' ? event.data.delta : '')).join('')
  const { text, removed } = redactText(said)
  let rest = text
  const told = events.map((event) => {
    if (removed === 0 || event.event !== 'chunk') return redact(event)
    const delta = rest
    rest = ''
    return { ...event, data: { ...event.data, delta } }
  })
  return serializeEvents(told)
}
