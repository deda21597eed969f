import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { projectOf } from '@panoptes/engine/templates'
import {
  check,
  type InjectInput,
  type InjectReply,
  type InjectTarget,
  injectTarget,
  type SessionRef,
  sessionRef,
} from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { targetOf } from '../../target.ts'
import { tilde } from '../../terminal/words.ts'
import { writeWhole } from '../../write-whole.ts'
import { plain } from '../sessions/words.ts'
import { withTemplates } from './access.ts'
import { messagesFrom, payloadFrom } from './conversation.ts'
import { nameText, typeOf, wrongUse } from './words.ts'

export interface InjectOptions {
  readonly type?: string
  readonly auto?: boolean
  readonly for?: string
  readonly messages?: string
  readonly project?: string
  readonly prompt?: string
  readonly session?: string
  readonly out?: string
  readonly force?: boolean
}

/** Prints a conversation with a template in it, and says on stderr which one and why. */
export async function inject(
  context: Context,
  name: string | undefined,
  options: InjectOptions,
): Promise<void> {
  const { output } = context
  const target = forWhom(options.for)
  const which = whichOf(name, options)
  const out =
    options.out === undefined || options.out === '-' ? null : await targetOf(context, options.out, options)
  const session = options.session === undefined ? undefined : sessionOf(options.session)
  const payload = target === 'claude-hook' ? await payloadFrom(options.messages) : undefined
  const messages = target === 'claude-hook' ? [] : await messagesFrom(options.messages)
  const reply = await withTemplates(context, 'write', (templates) =>
    templates.inject({
      ...which,
      for: target,
      messages: [...messages],
      project: projectOf(resolve(options.project ?? payload?.cwd ?? '.')),
      ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
      ...whoseOf(session, payload),
    }),
  )
  tell(context, reply)
  const text = reply.output === null ? '' : `${JSON.stringify(reply.output, null, 2)}\n`
  if (out) {
    await writeWhole(out, Readable.from([Buffer.from(text)]))
    output.note(`In ${tilde(out)}`)
    return output.answer([], { ...reply, path: out })
  }
  if (output.json) return output.answer([], reply)
  process.stdout.write(text)
}

/** Whose it is: as it is said, else as its hook was told. */
function whoseOf(
  session: SessionRef | undefined,
  payload: Awaited<ReturnType<typeof payloadFrom>>,
): Pick<InjectInput, 'session' | 'began'> {
  if (session) return { session, ...(payload ? { began: payload.source } : {}) }
  if (payload === undefined) return {}
  return { session: { source: 'claude-code', id: payload.session_id }, began: payload.source }
}

function sessionOf(asked: string): SessionRef {
  const at = asked.indexOf('/')
  const checked = check(sessionRef, { source: asked.slice(0, at), id: asked.slice(at + 1) })
  if (at > 0 && checked.ok && checked.value.id !== '') return checked.value
  throw wrongUse(
    `${plain(asked, 100)} names no session`,
    'Give its agent and its id, such as --session hermes/20260415_101500_ab12cd',
  )
}

function tell({ output }: Context, { template, task_type, reasons }: InjectReply): void {
  output.note(template === null ? 'No template' : `Template: ${nameText(template)} (${task_type})`)
  for (const reason of reasons) output.note(`  ${plain(reason, 300)}`)
}

function forWhom(asked: string | undefined): InjectTarget {
  const next = `There are: ${injectTarget.options.join(', ')}`
  if (asked === undefined) throw wrongUse('It is not said for whom: --for is missing', next)
  const checked = check(injectTarget, asked)
  if (checked.ok) return checked.value
  throw wrongUse(`Nothing is made for ${plain(asked, 60)}`, next)
}

function whichOf(
  name: string | undefined,
  options: InjectOptions,
): Pick<InjectInput, 'name' | 'type' | 'auto'> {
  const { auto = false } = options
  const type = typeOf(options.type)
  const ways = [name !== undefined, type !== undefined, auto].filter(Boolean).length
  if (ways !== 1)
    throw wrongUse(
      ways === 0 ? 'It is not said which template' : 'It is said in more than one way which template',
      'Give one: its NAME, --type for the least used of a type, or --auto for what fits the work.',
    )
  return { ...(name === undefined ? {} : { name }), ...(type === undefined ? {} : { type }), auto }
}
