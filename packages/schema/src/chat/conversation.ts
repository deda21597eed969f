import { z } from 'zod'
import { timestamp } from '../time.ts'
import { runtimeName } from './config.ts'
import { sentContext } from './context.ts'
import { chatAttachment, chatUsage, runtimeId } from './events.ts'

/** The state a runtime needs to continue a conversation; only its adapter writes it. */
export const compartment = z.looseObject({
  rev: z.int(),
  /** The last message that the runtime has seen. */
  synced_message_id: z.string().optional(),
})
export type Compartment = z.infer<typeof compartment>

export const agentStates = z.object({
  v: z.literal(1),
  active: runtimeId.nullable(),
  runtimes: z.record(z.string(), compartment),
})
export type AgentStates = z.infer<typeof agentStates>

export const messageStatus = z.enum(['complete', 'partial', 'failed', 'cancelled'])
export type MessageStatus = z.infer<typeof messageStatus>

export const chatFile = z.object({ name: z.string(), media_type: z.string(), bytes: z.int() })
export type ChatFile = z.infer<typeof chatFile>

export const chatMessage = z.object({
  id: z.string(),
  role: z.enum(['user', 'assistant']),
  /** The text as it is shown. */
  content: z.string(),
  status: messageStatus,
  runtime: runtimeId.nullable(),
  model: z.string().nullable(),
  attachments: z.array(chatAttachment),
  files: z.array(chatFile),
  ts: timestamp,
  ended_at: timestamp.nullable(),
  run_id: z.string().nullable(),
  usage: chatUsage.nullable(),
  cost_micro_usd: z.int().nullable(),
  /**
   * Whether its usage is counted with this conversation. If not, the runtime records it and it is
   * read from there.
   */
  is_counted_here: z.boolean().optional(),
  /** Why there is no complete answer. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type StoredChatMessage = z.infer<typeof chatMessage>

export const conversationHead = z.object({
  id: z.string(),
  title: z.string(),
  /** The runtime that answered last or will answer next. */
  runtime: runtimeId.nullable(),
  /**
   * The runtime that answered first; others appear as agents beside it. Absent before the first
   * answer.
   */
  first_runtime: runtimeId.optional(),
  /** The model the user chose; null leaves the choice to the runtime. */
  model: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  messages_count: z.int(),
  /** The active run. */
  run_id: z.string().nullable(),
  /** How the last answer ended. Absent before the first one and after a fork. */
  last_status: messageStatus.optional(),
  forked_from: z.object({ id: z.string(), message_id: z.string() }).nullable(),
  /**
   * The owner in a team: the id of a person, `token:` with the id of a machine's token, or `home:`
   * with the host of a hub's own computer. A conversation without an owner belongs to everyone.
   */
  owner: z.string().nullable().optional(),
  /** The owner's display name. */
  owner_name: z.string().optional(),
  /** Everyone in the space may read it. */
  shared: z.boolean().optional(),
})
export type ConversationHead = z.infer<typeof conversationHead>

export const conversation = z.object({
  ...conversationHead.shape,
  agent_state: agentStates,
  messages: z.array(chatMessage),
})
export type Conversation = z.infer<typeof conversation>

export const conversationsQuery = z.object({
  text: z.string().max(1_000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  before: z.coerce.number().int().optional(),
  /** With `before`: also includes those changed at that moment that are listed after this one. */
  before_id: z.string().max(500).optional(),
})
/** Where a text was found. */
export const foundConversation = z.object({
  ...conversationHead.shape,
  found: z.object({ message_id: z.string(), snippet: z.string() }).nullable(),
})
export const conversationsReply = z.object({
  total: z.int(),
  conversations: z.array(foundConversation),
  /** The search ran out of time, so the oldest matches may be missing. */
  is_cut: z.boolean().optional(),
})

export const newConversationInput = z.strictObject({
  title: z.string().min(1, 'must not be empty').max(200).optional(),
  runtime: runtimeName.optional(),
})
export const conversationChange = z.strictObject({
  title: z.string().trim().min(1, 'must not be empty').max(200, 'must not be over 200 characters').optional(),
  runtime: runtimeName.optional(),
  model: z.string().max(300).nullable().optional(),
  /** In a team: whether everyone in the space may read it. */
  shared: z.boolean('must be true or false').optional(),
})
export const forkInput = z.strictObject({ message_id: z.string() })

const MOST_FILE_CHARS = 12_000_000

const storedFile = z.object({
  name: z.string(),
  media_type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
})

/** A file sent with a message: its text, or its bytes in base64. */
export const fileInput = z
  .strictObject({
    name: z.string().min(1, 'must not be empty').max(255),
    media_type: z.string().max(200).default('text/plain'),
    text: z.string().max(MOST_FILE_CHARS).optional(),
    /** Alias of `text`. */
    content: z.string().max(MOST_FILE_CHARS).optional(),
    data: z.base64('must be base64').max(MOST_FILE_CHARS).optional(),
  })
  .refine(
    ({ text, content, data }) => [text, content, data].filter((one) => one !== undefined).length === 1,
    'must have text or data',
  )
  .transform(({ content, text = content, ...file }) => (text === undefined ? file : { ...file, text }))
  .pipe(storedFile)
export type FileInput = z.infer<typeof fileInput>

export const chatInput = z.strictObject({
  message: z.string('must be a text').min(1, 'must not be empty').max(1_000_000, 'is too long'),
  runtime: runtimeName.optional(),
  model: z.string().max(300).optional(),
  /**
   * With `replaces`: if omitted, the files of the replaced message are kept; an empty list removes
   * them.
   */
  files: z.array(fileInput).max(20, 'must not be over 20').optional(),
  template: z.string().max(200).optional(),
  /** Replaces this message of the user and everything after it. */
  replaces: z.string().optional(),
})
export type ChatInput = z.infer<typeof chatInput>

export const approvalInput = z.strictObject({ choice: z.string().min(1).max(100) })

export const runtimeHealth = z.object({
  id: runtimeId,
  title: z.string(),
  /**
   * `ready` means that it answered a handshake; `untried` that its program exists but was not
   * started yet.
   */
  state: z.enum([
    'ready',
    'busy',
    'untried',
    'not_installed',
    'not_configured',
    'unreachable',
    'unauthorized',
    'failed',
  ]),
  /** What to do if it is not ready. */
  detail: z.string(),
  /** The models to choose from; the first is the default. */
  models: z.array(z.string()),
  is_default: z.boolean(),
  /** How it is accessed, such as `api` or `acp`. */
  transport: z.string().nullable(),
})
export type RuntimeHealth = z.infer<typeof runtimeHealth>
export const runtimesReply = z.object({ runtimes: z.array(runtimeHealth) })

export const messageContextReply = z.object({ message_id: z.string(), context: sentContext })

export const rememberedFact = z.object({ id: z.string(), text: z.string(), ts: timestamp })
export type RememberedFact = z.infer<typeof rememberedFact>
export const factInput = z.strictObject({
  text: z.string().trim().min(1, 'must not be empty').max(500, 'must not be over 500 characters'),
})
export const factsReply = z.object({ facts: z.array(rememberedFact) })
