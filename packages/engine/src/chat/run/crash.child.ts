import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteStore } from '@panoptes/engine/store'
import { bareContext, scriptedRuntime, value } from '../chat.test-kit.ts'
import { openChat } from '../open.ts'

const [, , file = '', folder = ''] = process.argv

/**
 * Answers in a conversation without ever ending, and reports when a part of the answer is stored.
 */
const { conversations } = value(await openSqliteStore(file))
const { adapter } = scriptedRuntime('jarvis', async function* ({ message }) {
  yield { type: 'chunk', delta: `about ${message}:` }
  if (message === 'first') return yield { type: 'end', outcome: 'completed', continuity: { known: 'first' } }
  for (let n = 0; ; n += 1) {
    yield { type: 'chunk', delta: ` ${n}` }
    await sleep(20)
  }
})
const chat = openChat({
  conversations,
  adapters: [adapter],
  defaultRuntime: 'jarvis',
  build: bareContext,
  folder,
  budgetTokens: 32_000,
  approvalSeconds: 5,
})
const { id } = value(await chat.create({}))
const ask = async (message: string) => value(await chat.chat(id, { message, files: [] }))
for await (const _event of (await ask('first')).events(new AbortController().signal));
const { run_id } = await ask('second')
for (let stored = ''; stored === ''; await sleep(20))
  stored = value(await chat.get(id)).messages.at(-1)?.content ?? ''
process.stdout.write(`${JSON.stringify({ id, run_id })}\n`)
