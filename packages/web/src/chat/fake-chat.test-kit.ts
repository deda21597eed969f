import type {
  ChatErrorCode,
  ChatEvent,
  ChatEventName,
  ChatInput,
  Conversation,
  ForgotReply,
  RememberedFact,
  RuntimeHealth,
  SentContext,
  StoredChatMessage,
  TemplatesReply,
} from '@panoptes/schema'
import type { FakeRequest, FakeServer } from '../testing/fake-server.ts'
import type { ConversationsPage, FoundConversation } from './api/conversation-api.ts'
import { conversation, event, frameOf, message, runtime } from './chat.test-kit.ts'

/** The body of a posted message. */
export type PostedMessage = Omit<ChatInput, 'files'> & { readonly files?: ChatInput['files'] }

type Read = ReadableStreamDefaultController<Uint8Array>

/** A running answer. Every connection receives what the test adds, however often it reconnects. */
export class FakeRun {
  readonly id: string
  readonly input: PostedMessage
  readonly conversation: string
  readonly runtime: string
  readonly events: ChatEvent[] = []
  readonly #readers = new Set<Read>()
  readonly #finish: (status: StoredChatMessage['status'], error: StoredChatMessage['error']) => void
  text = ''
  isOver = false

  constructor(
    about: Pick<FakeRun, 'id' | 'input' | 'conversation' | 'runtime'>,
    finish: (status: StoredChatMessage['status'], error: StoredChatMessage['error']) => void,
  ) {
    this.id = about.id
    this.input = about.input
    this.conversation = about.conversation
    this.runtime = about.runtime
    this.#finish = finish
  }

  tell(name: ChatEventName, more: object): this {
    const told = event(name, this.events.length + 1, {
      conversation_id: this.conversation,
      run_id: this.id,
      runtime: this.runtime,
      ts: Date.now(),
      ...more,
    })
    this.events.push(told)
    for (const reader of this.#readers) reader.enqueue(encode(told))
    return this
  }

  say(delta: string): this {
    this.text += delta
    return this.tell('chunk', { index: this.events.length, delta })
  }

  progress(node_id: string, more: object): this {
    return this.tell('progress', { node_id, label: node_id, ...more })
  }

  /** Asks for permission as an agent does; returns the id of the request. */
  ask(label: string, choices: readonly string[] = ['once', 'deny']): string {
    const request_id = `${this.id}-ask${this.events.length}`
    this.progress(request_id, {
      ...{ kind: 'approval', status: 'started', label, request_id, choices },
      detail: { request_id, choices, expires_at: Date.now() + 300_000 },
    })
    return request_id
  }

  /** Reports the answer to a question. */
  decide(request_id: string, choice: string): this {
    const asked = this.events.find(
      ({ event: name, data }) => name === 'progress' && data.node_id === request_id,
    )
    return this.progress(request_id, {
      ...(asked?.data as object),
      ...{ seq: this.events.length + 1, status: 'completed', detail: { request_id, choice } },
    })
  }

  done(outcome: 'completed' | 'cancelled' | 'length' = 'completed'): this {
    this.#finish(outcome === 'length' ? 'partial' : outcome === 'cancelled' ? outcome : 'complete', null)
    this.tell('done', {
      ...{ message_id: `${this.id}-answer`, outcome, duration_ms: 20, attachments: [], state_revision: 2 },
    })
    return this.#end()
  }

  fail(code: ChatErrorCode, why: string): this {
    this.#finish(this.text === '' ? 'failed' : 'partial', { code, message: why })
    this.tell('error', { code, message: why, retryable: true, stage: 'answer' })
    return this.#end()
  }

  /** Breaks all connections; readers can reconnect and resume. */
  cut(): void {
    for (const reader of this.#readers) reader.error(new TypeError('network error'))
    this.#readers.clear()
  }

  /** Streams the events after the given one. */
  read(after: number, signal: AbortSignal): Response {
    let own: Read | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller
        for (const one of this.events.slice(after)) controller.enqueue(encode(one))
        if (this.isOver) return controller.close()
        this.#readers.add(controller)
        signal.addEventListener('abort', () => this.#readers.delete(controller) && controller.close())
      },
      cancel: () => void (own && this.#readers.delete(own)),
    })
    return new Response(body, {
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-panoptes-run-id': this.id },
    })
  }

  #end(): this {
    this.isOver = true
    for (const reader of this.#readers) reader.close()
    this.#readers.clear()
    return this
  }
}

const encoder = new TextEncoder()
const encode = (one: ChatEvent) => encoder.encode(frameOf(one))

/**
 * A fake chat server. A message starts a run, which answers at once unless the test controls it:
 *
 * ```ts
 * const chat = new FakeChat(server)
 * chat.onRun = (run) => run.say('word1')
 * …
 * chat.run.say(' word2').done()
 * ```
 */
export class FakeChat {
  readonly conversations = new Map<string, Conversation>()
  readonly runs: FakeRun[] = []
  runtimes: readonly RuntimeHealth[] = [
    runtime('jarvis', { models: ['local/talker', 'local/counts', 'local/broken'], is_default: true }),
    runtime('acp:scripted', { title: 'scripted', transport: 'acp' }),
  ]
  facts: readonly RememberedFact[] = []
  /** The context sent with each message; other messages return 404. */
  sent: Readonly<Record<string, SentContext>> = {}
  /** Runs when a run begins. */
  onRun: (run: FakeRun) => unknown = (run) => run.say('It is empty there.').done()
  /** The owner of new conversations. */
  owner: Pick<Conversation, 'owner' | 'owner_name'> = {}

  constructor(server: FakeServer) {
    const one = '/api/conversations/:id'
    server
      .on('GET /api/runtimes', () => ({ runtimes: this.runtimes }))
      .on('GET /api/templates', {
        templates: [],
        broken: [],
        folder: '/home/dev/.panoptes/templates',
        experiment: null,
      } satisfies TemplatesReply)
      .on('GET /api/memory/facts', () => ({ facts: this.facts }))
      .on('GET /api/conversations', ({ query }) => this.#list(query))
      .on('POST /api/conversations', ({ body }) => headOf(this.add({ ...this.owner, ...(body as object) })))
      .on(`GET ${one}`, (request) => this.#with(request, (found) => found))
      .on(`PUT ${one}`, (request) =>
        this.#with(request, (found) => headOf(this.#put({ ...found, ...(request.body as object) }))),
      )
      .on(`DELETE ${one}`, (request) =>
        this.#with(request, ({ id }) => {
          this.conversations.delete(id)
          return { sessions: 1, removed: [] } satisfies ForgotReply
        }),
      )
      .on(`POST ${one}/fork`, (request) => this.#with(request, (found) => this.#fork(found, request)))
      .on(`POST ${one}/chat`, (request) =>
        this.#with(request, ({ id }) =>
          this.begin(id, request.body as PostedMessage).read(0, request.signal),
        ),
      )
      .on(`GET ${one}/stream`, (request) => this.stream(request))
      .on(`POST ${one}/cancel`, (request) =>
        this.#with(request, ({ run_id }) => {
          this.runs.find(({ id }) => id === run_id)?.done('cancelled')
          return run_id === null ? notFound() : { cancelled: true }
        }),
      )
      .on(`POST ${one}/approvals/:request`, ({ path, body }) => {
        const { choice } = body as { readonly choice: string }
        const request = path.split('/').at(-1) ?? ''
        this.runs.find(({ id }) => request.startsWith(id))?.decide(request, choice)
        return { choice }
      })
      .on(`GET ${one}/messages/:message/context`, ({ path }) => {
        return this.sent[path.split('/').at(-2) ?? ''] ?? notFound()
      })
  }

  /** The newest run. */
  get run(): FakeRun {
    const last = this.runs.at(-1)
    if (last === undefined) throw new Error('Nothing was said yet.')
    return last
  }

  /** Adds a conversation as the newest one. */
  add(change: Partial<Conversation> = {}): Conversation {
    const now = Date.now()
    const id = change.id ?? `chat-${this.conversations.size + 1}`
    return this.#put(conversation(id, { created_at: now, updated_at: now, ...change }))
  }

  /** Adds a conversation with an answered question. */
  addAnswered(question: string, change: Partial<Conversation> = {}): Conversation {
    const made = this.add({ title: question, ...change })
    const silent = this.onRun
    this.onRun = (run) => run.say('It is empty there.').done()
    this.begin(made.id, { message: question })
    this.onRun = silent
    return this.conversations.get(made.id) ?? made
  }

  /** Stores a message and starts its answer, as when somebody posts it. */
  begin(id: string, input: PostedMessage): FakeRun {
    const found = this.conversations.get(id)
    if (!found) throw new Error(`There is no conversation ${id}.`)
    const by = input.runtime ?? found.runtime ?? 'jarvis'
    const run_id = `run-${this.runs.length + 1}`
    const at = found.messages.findIndex((one) => one.id === input.replaces)
    const before = at < 0 ? found.messages : found.messages.slice(0, at)
    const files = input.files?.map(sizeOf) ?? found.messages[at]?.files ?? []
    const ts = Date.now()
    const user = message(`${run_id}-user`, 'user', { content: input.message, files, ts })
    const model = input.model ?? found.model ?? (by === 'jarvis' ? 'local/talker' : null)
    const answer = message(`${run_id}-answer`, 'assistant', {
      ...{ content: '', status: 'partial', runtime: by, model, run_id, ts, ended_at: null },
    })
    const run: FakeRun = new FakeRun({ id: run_id, input, conversation: id, runtime: by }, (status, error) =>
      this.#finish(run, status, error),
    )
    this.runs.push(run)
    this.#put({
      ...found,
      ...{ title: found.title || input.message, runtime: by, run_id, updated_at: ts },
      first_runtime: found.first_runtime ?? by,
      messages: [...before, user, answer],
    })
    run.tell('metadata', { message_id: answer.id, user_message_id: user.id, model, state_revision: 1 })
    this.onRun(run)
    return run
  }

  #finish(run: FakeRun, status: StoredChatMessage['status'], error: StoredChatMessage['error']): void {
    const found = this.conversations.get(run.conversation)
    if (!found) return
    const ended = { content: run.text, status, error, ended_at: Date.now() }
    this.#put({
      ...found,
      ...{ run_id: null, last_status: status, updated_at: Date.now() },
      messages: found.messages.map((one) => (one.run_id === run.id ? { ...one, ...ended } : one)),
    })
  }

  #put(one: Conversation): Conversation {
    const put = { ...one, messages_count: one.messages.length }
    this.conversations.delete(one.id)
    this.conversations.set(one.id, put)
    return put
  }

  /** Lists conversations, last changed first; the text matches titles and messages. */
  #list(query: URLSearchParams): ConversationsPage {
    const text = query.get('text')?.toLowerCase() ?? ''
    const all = [...this.conversations.values()].reverse()
    const found = all.flatMap((one): readonly FoundConversation[] => {
      if (text === '') return [{ ...headOf(one), found: null }]
      const said = one.messages.find(({ content }) => content.toLowerCase().includes(text))
      if (said) return [{ ...headOf(one), found: { message_id: said.id, snippet: said.content } }]
      return one.title.toLowerCase().includes(text) ? [{ ...headOf(one), found: null }] : []
    })
    const from = query.has('before_id') ? found.findIndex(({ id }) => id === query.get('before_id')) + 1 : 0
    return { total: found.length, conversations: found.slice(from, from + Number(query.get('limit'))) }
  }

  #fork({ messages, title, runtime: by, id }: Conversation, { body }: FakeRequest) {
    const { message_id } = body as { readonly message_id: string }
    const kept = messages.slice(0, messages.findIndex((one) => one.id === message_id) + 1)
    return headOf(
      this.add({ ...this.owner, title, runtime: by, messages: kept, forked_from: { id, message_id } }),
    )
  }

  /** Streams a run, resuming after the last event id. */
  stream({ headers, signal }: FakeRequest): Response {
    const [id, seq] = (headers.get('last-event-id') ?? '').split(':')
    const run = id ? this.runs.find((one) => one.id === id) : this.runs.at(-1)
    return run?.read(Number(seq ?? 0), signal) ?? notFound()
  }

  #with(request: FakeRequest, use: (found: Conversation) => Response | object): Response | object {
    const found = this.conversations.get(request.path.split('/')[3] ?? '')
    return found ? use(found) : notFound()
  }
}

const headOf = ({ messages: _messages, agent_state: _state, ...head }: Conversation) => head

const sizeOf = ({ name, media_type, text, data }: NonNullable<PostedMessage['files']>[number]) => ({
  ...{ name, media_type },
  bytes: text === undefined ? atob(data ?? '').length : encoder.encode(text).length,
})

const notFound = (): Response =>
  Response.json(
    { code: 'not_found', title: 'Not found', detail: 'There is no such conversation.', next: 'Look for it.' },
    { status: 404 },
  )
