import { randomUUID } from 'node:crypto'
import type { Conversations, KeptConversation } from '@panoptes/engine/ledger'
import { type ChatInput, type FileInput, type Result, type RuntimeId, runtimeNamed } from '@panoptes/schema'
import { isPrivate } from '@panoptes/schema/reading'
import { failure, success } from '@panoptes/schema/result'
import type { Chat, Streamed, Whose } from './chat.ts'
import type { AskModel } from './context/given.ts'
import type { BuildContext } from './context/port.ts'
import { summaryKeeper } from './context/summary/keep.ts'
import { toldFact } from './context/user-memory.ts'
import { windowChars } from './context/window.ts'
import { filesOf, newHead, said, shown } from './opening.ts'
import { followElsewhere, hasEnded } from './run/elsewhere.ts'
import { healthOf } from './run/health.ts'
import { eventsAfter, eventsIn, LiveRun } from './run/live-run.ts'
import { type RunningRun, startRun } from './run/run.ts'
import { endUnended } from './run/unended.ts'
import { answerElsewhere, stopElsewhere } from './run/wishes.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'
import type { AboutRun } from './tell.ts'
import { titleOf } from './title.ts'
import { foundRuntime } from './usual.ts'

export interface ChatOptions {
  readonly conversations: Conversations
  readonly adapters: readonly RuntimeAdapter[]
  /** Who answers where nobody is named, ready or not; null takes the first that is ready. */
  readonly defaultRuntime: RuntimeId | null
  readonly build: BuildContext
  readonly folder: string
  readonly budgetTokens: number
  readonly approvalSeconds: number
  /** Is told of every run as it begins: Live follows it. */
  readonly onRun?: ((run: LiveRun, about: AboutRun) => void) | undefined
  /** Whether what a runtime takes is counted with the conversation, not where it writes it down itself; Jarvis' always is. */
  readonly isCountedHere?: ((runtime: RuntimeId) => boolean) | undefined
  /** Whether there is a template of this name, asked before anything is stored. */
  readonly hasTemplate?: ((name: string) => Promise<boolean>) | undefined
  /** Sums up what was said, after a run; null or left out where no model is configured. */
  readonly ask?: AskModel | null | undefined
}

interface Active extends RunningRun {
  readonly stop: AbortController
}

const MOST_FACTS = 1_000

const nobody = failure(
  'invalid',
  'Nobody can answer yet. Start Ollama or LM Studio, or name a runtime in config.yaml and start Panoptes again; "panoptes doctor" says what is missing.',
)
const gone = (id: string) => failure('not_found', `There is no conversation ${id}.`)

export function openChat(options: ChatOptions): Chat {
  const { conversations, adapters, folder, build, budgetTokens, approvalSeconds, onRun } = options
  const summaries = summaryKeeper({ conversations, ask: options.ask ?? null, budgetTokens })
  const active = new Map<string, Active>()
  /** Runs whose beginning is being stored. */
  const beginning = new Map<string, Promise<unknown>>()
  let isClosed = false
  const byId = new Map(adapters.map((adapter) => [adapter.id, adapter]))
  const found = async (id: string) => {
    const kept = await conversations.get(id)
    if (!kept.ok) return kept
    return kept.value === null ? gone(id) : success(kept.value)
  }
  const usual = foundRuntime(adapters)
  const named = (name: string): Result<RuntimeAdapter> => {
    const adapter = byId.get(runtimeNamed(name))
    if (adapter) return success(adapter)
    const names = adapters.map((one) => one.id).join(', ')
    return failure('invalid', `There is no runtime ${name}. There are: ${names}.`)
  }
  const chosen = async (wanted: string | undefined, conversation: KeptConversation) => {
    const id = wanted ?? conversation.runtime ?? options.defaultRuntime ?? (await usual.get())
    return id === null ? nobody : named(id)
  }
  /** A message that takes the place of another keeps its files, unless it says which there are. */
  const filesFor = async ({ files, replaces }: ChatInput): Promise<Result<readonly FileInput[]>> =>
    files !== undefined || replaces === undefined ? success(files ?? []) : conversations.files(replaces)
  const begin = async (id: string, input: ChatInput) => {
    const [kept, attached] = await Promise.all([
      conversations.window(id, { chars: windowChars(budgetTokens), before: input.replaces }),
      filesFor(input),
    ])
    if (!kept.ok) return kept
    if (!attached.ok) return attached
    const files = attached.value
    if (kept.value === null) return gone(id)
    const picked = await chosen(input.runtime, kept.value)
    if (!picked.ok) return picked
    if (input.template && (await options.hasTemplate?.(input.template)) === false)
      return failure('invalid', `There is no template ${input.template}.`)
    const conversation = kept.value
    const adapter = picked.value
    const run_id = `run-${randomUUID()}`
    const model = input.model ?? (isFor(adapter, input, conversation) ? conversation.model : null)
    const isCountedHere = adapter.id === 'jarvis' || (options.isCountedHere?.(adapter.id) ?? false)
    if (isPrivate(conversation) && !isCountedHere)
      return failure(
        'invalid',
        `${adapter.title} writes down itself what is said, where everybody in the space reads it. Share the conversation first, or choose another runtime.`,
      )
    const user = said('user', { content: input.message, files: filesOf(files) })
    const answer = said('assistant', {
      runtime: adapter.id,
      model: model ?? adapter.model(),
      run_id,
      status: 'partial',
      ...(isCountedHere && { is_counted_here: true }),
    })
    const opening = {
      conversation: id,
      run_id,
      runtime: adapter.id,
      model,
      user,
      answer,
      files,
      replaces: input.replaces,
      title: titleOf(input.message),
    }
    const stop = new AbortController()
    // What is remembered is looked up while the message is being stored.
    const context = build({
      conversation,
      runtime: adapter.id,
      message: input.message,
      files,
      template: input.template ?? null,
      folder,
      signal: stop.signal,
      budgetTokens,
    })
    context.catch(() => undefined)
    let began = await conversations.begin(opening)
    if (!began.ok && began.code === 'busy') {
      // Its end could not be stored then, or the process ended before it.
      await endUnended(conversations, { only: (one) => one === id })
      began = await conversations.begin(opening)
    }
    if (!began.ok) {
      stop.abort()
      return began
    }
    const run = new LiveRun({ conversation_id: id, run_id, runtime: adapter.id })
    run.put('metadata', {
      message_id: answer.id,
      user_message_id: user.id,
      model: answer.model,
      state_revision: began.value.state_revision,
    })
    onRun?.(run, {
      title: conversation.title || titleOf(input.message),
      message: input.message,
      first: conversation.first_runtime ?? adapter.id,
      isCountedHere,
      isPrivate: isPrivate(conversation),
    })
    const running = startRun({
      run,
      adapter,
      conversations,
      conversation,
      user,
      answer,
      request: {
        message: input.message,
        files,
        folder,
        model,
        owner: conversation.owner ?? null,
        isPrivate: isPrivate(conversation),
      },
      context,
      approvalSeconds,
      stop,
      stateRevision: began.value.state_revision,
    })
    active.set(id, { ...running, stop })
    void running.over.then(() => {
      active.delete(id)
      summaries.after(id)
    })
    return success(streamed(run, 0))
  }
  return {
    create: async ({ title = '', runtime, ...whose }) => {
      const wanted = runtime === undefined ? null : named(runtime)
      if (wanted?.ok === false) return wanted
      const head = newHead(title, wanted?.value.id ?? null, ofWhom(whose))
      const made = await conversations.create(head)
      return made.ok ? success(head) : made
    },
    get: async (id) => {
      const kept = await found(id)
      return kept.ok ? success(shown(kept.value)) : kept
    },
    head: async (id) => {
      const kept = await conversations.head(id)
      if (!kept.ok) return kept
      return kept.value === null ? gone(id) : success(kept.value)
    },
    list: conversations.list,
    change: async (id, { runtime, ...change }) => {
      if (runtime === undefined) return conversations.change(id, change)
      const wanted = named(runtime)
      return wanted.ok ? conversations.change(id, { ...change, runtime: wanted.value.id }) : wanted
    },
    fork: async (id, message, whose = {}) => {
      const kept = await found(id)
      if (!kept.ok) return kept
      const { title, runtime, model, messages } = kept.value
      const head = newHead(title, runtime, {
        model,
        messages_count: messages.findIndex((one) => one.id === message) + 1,
        forked_from: { id, message_id: message },
        ...ofWhom(whose),
      })
      const made = await conversations.fork(id, message, head)
      return made.ok ? success(head) : made
    },
    chat: async (id, input) => {
      if (isClosed) return failure('closed', 'Panoptes is ending.')
      if (beginning.has(id) || active.has(id))
        return failure(
          'busy',
          'Another message of this conversation is being answered. Wait for it, or stop it.',
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
      if (running === undefined) return stopElsewhere(conversations, id)
      running.stop.abort()
      await running.over
      return success(null)
    },
    stream: async (id, lastEventId) => {
      await beginning.get(id)?.catch(() => {})
      const running = active.get(id)
      const [wanted, seq] = placeOf(lastEventId)
      if (running && (wanted === null || wanted === running.run.identity.run_id))
        return success(streamed(running.run, seq))
      const kept = await found(id)
      if (!kept.ok) return kept
      const newest = kept.value.messages.findLast(({ run_id }) => run_id !== null)?.run_id
      const run_id = wanted ?? newest
      if (!run_id) return failure('not_found', 'Nothing was answered in this conversation yet.')
      const past = await conversations.events(run_id)
      if (!past.ok) return past
      const events = eventsIn(past.value?.events ?? '')
      // It may go on in another process.
      if (kept.value.run_id === run_id && !hasEnded(events)) {
        const elsewhere = { conversations, conversation: id, run_id }
        return success({ run_id, events: (signal) => followElsewhere(elsewhere, seq, signal) })
      }
      if (past.value?.conversation !== id)
        return failure('not_found', 'The events of this run are not kept any more.')
      return success({
        run_id,
        events: async function* () {
          yield* eventsAfter(events, seq)
        },
      })
    },
    answer: async (id, request, choice) =>
      active.get(id)?.answer(request, choice) ?? answerElsewhere(conversations, id, { request, choice }),
    context: async (id, message) => {
      const sent = await conversations.sent(id, message)
      if (!sent.ok) return sent
      return sent.value
        ? success(sent.value.context)
        : failure('not_found', 'Nothing is known of what was sent with this message.')
    },
    runtimes: async (signal) => {
      const asked = adapters.map(async (adapter) => ({
        id: adapter.id,
        title: adapter.title,
        ...(await healthOf(adapter, signal)),
      }))
      const healths = await Promise.all(asked)
      const usually = options.defaultRuntime ?? usual.seen(healths)
      return healths.map((health) => ({ ...health, is_default: health.id === usually }))
    },
    facts: conversations.facts,
    remember: async (text, owner) => {
      const facts = await conversations.facts(owner)
      if (!facts.ok) return facts
      const known = facts.value.find((fact) => fact.text === text)
      if (known) return success(known)
      if (facts.value.length >= MOST_FACTS)
        return failure('invalid', `There are ${MOST_FACTS} facts already. Forget some first.`)
      const fact = { id: `fact-${randomUUID()}`, text, ts: Date.now() }
      const kept = await conversations.remember(fact, owner)
      return kept.ok ? success(fact) : kept
    },
    forgetFact: async (id, owner) => {
      const facts = await conversations.facts(owner)
      if (!facts.ok) return facts
      const known = facts.value.find((fact) => fact.id === id)
      const was = known ? await conversations.forgetFact(id, toldFact(known.text)) : success(false)
      if (!was.ok) return was
      return was.value ? success(null) : failure('not_found', 'There is no such fact.')
    },
    close: async () => {
      isClosed = true
      await Promise.allSettled(beginning.values())
      for (const { stop } of active.values()) stop.abort()
      await Promise.all([...active.values()].map(({ over }) => over))
      await Promise.all([...adapters.map((adapter) => adapter.close()), summaries.close()])
    },
  }
}

const ofWhom = ({ owner, ownerName }: Whose) => ({
  ...(owner != null && { owner }),
  ...(owner != null && ownerName !== undefined && { owner_name: ownerName }),
})

/** `run-…:17`. */
function placeOf(lastEventId: string | undefined): readonly [string | null, number] {
  const cut = lastEventId?.lastIndexOf(':') ?? -1
  const seq = Number(lastEventId?.slice(cut + 1))
  return cut < 1 || !Number.isSafeInteger(seq) ? [null, 0] : [lastEventId?.slice(0, cut) ?? null, seq]
}

/** A model is chosen for whoever is to answer, not for others. */
const isFor = ({ id }: RuntimeAdapter, asked: ChatInput, { runtime }: KeptConversation): boolean =>
  runtime === null ? asked.runtime === undefined : runtime === id

const streamed = (run: LiveRun, seq: number): Streamed => ({
  run_id: run.identity.run_id,
  events: (signal) => run.after(seq, signal),
})
