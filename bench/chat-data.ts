import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openChat } from '@panoptes/engine/chat'
import { resolvePaths } from '@panoptes/engine/home'
import { openSqliteStore } from '@panoptes/engine/store'
import { bareContext, collectEvents, saying, scriptedRuntime, value } from '@panoptes/engine/testing/chat'
import type { TestHome } from '../e2e/command.ts'
import { generateHermesState } from '../fixtures/hermes/generator/index.ts'

export interface Remembered {
  readonly hermes: number
  readonly claude: number
  readonly messages: number
  /** Returns a text that the conversation contains, always the same for the same number. */
  readonly words: (n: number) => string
}

/** Creates the files of Hermes and Claude Code in a home, the same on every run. */
export function makeRemembered(home: TestHome, quick: boolean): Remembered {
  const hermes = quick ? 60 : 1_000
  const file = join(home.folder, '.hermes', 'state.db')
  mkdirSync(join(home.folder, '.hermes'), { recursive: true })
  const made = generateHermesState({ file, sessions: hermes, messages: 60, seed: 3, hasEdgeCases: false })
  const texts = textsIn(file)
  const words = (n: number): string => texts[(n * 7_919) % texts.length] ?? ''
  const claude = quick ? 20 : 400
  for (let n = 0; n < claude; n += 1) writeTranscript(home, n, words)
  return { hermes: made.sessions, claude, messages: made.messages + claude * EACH, words }
}

const EACH = 100

function writeTranscript(home: TestHome, n: number, words: Remembered['words']): void {
  const folder = join(home.folder, '.claude', 'projects', `-home-dev-part${n % 20}`)
  mkdirSync(folder, { recursive: true })
  const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const begin = Date.UTC(2026, 0, 1) + n * 3_600_000
  const rows = Array.from({ length: EACH }, (_, at) => ({
    type: at % 2 === 0 ? 'user' : 'assistant',
    uuid: `${id}-${at}`,
    sessionId: id,
    timestamp: new Date(begin + at * 20_000).toISOString(),
    cwd: `/home/dev/part${n % 20}`,
    message: {
      id: `m${n}-${at}`,
      role: at % 2 === 0 ? 'user' : 'assistant',
      model: 'claude-opus-4-8',
      content: [{ type: 'text', text: words(n * EACH + at) }],
    },
  }))
  writeFileSync(join(folder, `${id}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

function textsIn(file: string): readonly string[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db
      .prepare(
        "SELECT content FROM messages WHERE content <> '' AND role IN ('user', 'assistant') ORDER BY id",
      )
      .all()
      .map(({ content }) => String(content).slice(0, 1_500))
      .filter((text) => text.length > 40)
  } finally {
    db.close()
  }
}

/** Creates a conversation with this many messages before the daemon starts. */
export async function makeConversation(
  home: TestHome,
  messages: number,
  words: Remembered['words'],
): Promise<string> {
  const ledger = value(await openSqliteStore(resolvePaths({ PANOPTES_HOME: home.panoptes }).store))
  let n = 0
  const { adapter } = scriptedRuntime('jarvis', (request, context) => saying(words(n))(request, context))
  const chat = openChat({
    conversations: ledger.conversations,
    adapters: [adapter],
    defaultRuntime: 'jarvis',
    build: bareContext,
    folder: home.folder,
    budgetTokens: 32_000,
    approvalSeconds: 5,
  })
  const { id } = value(await chat.create({ title: 'A long one' }))
  for (; n < messages / 2; n += 1)
    await collectEvents(await chat.chat(id, { message: words(n + 100_000), files: [] }))
  await chat.close()
  await ledger.close()
  return id
}
