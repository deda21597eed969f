import { randomUUID } from 'node:crypto'
import type { Conversations, KeptConversation } from '@panoptes/engine/ledger'
import type { ChatInput, FileInput, Result, RuntimeId } from '@panoptes/schema'
import { isPrivate } from '@panoptes/schema/reading'
import { failure, success } from '@panoptes/schema/result'
import type { BuildContext } from './context/port.ts'
import { windowChars } from './context/window.ts'
import { filesOf, noConversation, said } from './opening.ts'
import { LiveRun } from './run/live-run.ts'
import { type RunningRun, startRun } from './run/run.ts'
import { endUnended } from './run/unended.ts'
import type { RuntimeAdapter } from './runtimes/port.ts'
import type { AboutRun } from './tell.ts'
import { titleOf } from './title.ts'

export interface RunOptions {
  readonly conversations: Conversations
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
}

export interface BegunRun extends RunningRun {
  readonly stop: AbortController
}

/** Who is to answer in a conversation. */
type Choose = (
  wanted: RuntimeId | undefined,
  conversation: KeptConversation,
) => Promise<Result<RuntimeAdapter>>

/** Stores a message and the beginning of its answer, and starts the run that gives it. */
export async function beginRun(
  options: RunOptions,
  choose: Choose,
  id: string,
  input: ChatInput,
): Promise<Result<BegunRun>> {
  const { conversations, folder, build, budgetTokens, approvalSeconds, onRun } = options
  const [kept, attached] = await Promise.all([
    conversations.window(id, { chars: windowChars(budgetTokens), before: input.replaces }),
    filesFor(conversations, input),
  ])
  if (!kept.ok) return kept
  if (!attached.ok) return attached
  const files = attached.value
  if (kept.value === null) return noConversation(id)
  const picked = await choose(input.runtime, kept.value)
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
  return success({ ...running, stop })
}

/** A message that takes the place of another keeps its files, unless it says which there are. */
const filesFor = async (
  conversations: Conversations,
  { files, replaces }: ChatInput,
): Promise<Result<readonly FileInput[]>> =>
  files !== undefined || replaces === undefined ? success(files ?? []) : conversations.files(replaces)

/** A model is chosen for whoever is to answer, not for others. */
const isFor = ({ id }: RuntimeAdapter, asked: ChatInput, { runtime }: KeptConversation): boolean =>
  runtime === null ? asked.runtime === undefined : runtime === id
