import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { SentContext } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lastConversation, writeChatHome } from './chat-command-kit.ts'
import { useHome } from './command-kit.ts'
import type { Daemon } from './daemon.ts'

const { home, run, json, start } = useHome()
let models: ScriptedServer
beforeEach(async () => {
  models = await startScripted()
  models.script('small', { text: 'The heron is the one with the long neck.' })
})
afterEach(() => models.close())

const write = async (path: string, text: string): Promise<void> => {
  const file = join(home().folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
/** The whole last request to the model. */
const told = (): string => JSON.stringify(models.requests.at(-1)?.body.messages ?? [])

async function sentWith(daemon: Daemon): Promise<SentContext> {
  const { id, messages } = await lastConversation(daemon)
  const asked = messages.findLast(({ role }) => role === 'user')
  const reply = await daemon.request(`/api/conversations/${id}/messages/${asked?.id}/context`)
  return (await reply.json()) as SentContext
}

describe('the context of a message', () => {
  it('contains everything remembered here: facts, files of other agents, notes, skills, earlier sessions', async () => {
    await write('.hermes/memories/USER.md', 'Is called Ada.\n§\nWorks on boats.')
    await write('.claude/CLAUDE.md', '# Style\nShort answers about herons.')
    await write('notes/birds.md', '# Herons\nThe grey heron nests in colonies by the water.')
    await write(
      '.claude/skills/heron-count/SKILL.md',
      '---\nname: heron-count\ndescription: Counts herons in a picture of the shore.\n---\nLook twice.',
    )
    await writeChatHome(home(), models.url, { chat: { knowledge: ['~/notes'] } })
    const daemon = await start()
    await daemon.request('/api/memory/facts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'Prefers tea over coffee.' }),
    })
    await run('chat', 'Which bird is the heron?')
    // This is another conversation: the search finds the first one by its words.
    await expect
      .poll(
        async () => {
          await run('chat', 'Tell me of the heron and its neck')
          return told()
        },
        { timeout: 40_000, interval: 500 },
      )
      .toMatch(
        /earlier sessions[\s\S]*long neck[\s\S]*colonies by the water|colonies by the water[\s\S]*long neck/,
      )
    for (const known of ['Prefers tea', 'Is called Ada', 'Works on boats', 'Short answers', 'heron-count'])
      expect(told()).toContain(known)
    // A skill is loaded in full only when somebody asks for it.
    expect(told()).not.toContain('Look twice')
    const { sections, skills } = await sentWith(daemon)
    const statuses = Object.fromEntries(sections.map(({ key, status }) => [key, status]))
    expect(statuses).toMatchObject({ user: 'ok', recalled: 'ok', knowledge: 'ok', skills: 'ok' })
    expect(skills.skills).toMatchObject([{ name: 'heron-count', of: expect.any(String) }])
    expect(skills.skills[0]?.reasons.length).toBeGreaterThan(0)
  })

  it('takes no model call before the answer, unless a plan is to be refined', async () => {
    const many = 'First read the log. Then list the errors. Then write a report.'
    await writeChatHome(home(), models.url)
    const first = await start()
    await run('chat', many)
    expect(models.requests).toHaveLength(1)
    expect((await sentWith(first)).plan).toMatchObject({ decision: 'sequential', nodes: [{}, {}, {}] })
    await first.stop()

    await writeChatHome(home(), models.url, { chat: { refine_plan: true } })
    const second = await start()
    const plan = { nodes: [{ id: 'a', label: 'All at once', work: 5 }], edges: [] }
    models.script('small', { text: JSON.stringify(plan) }, { text: 'done' })
    expect((await run('chat', many)).stdout).toBe('done\n')
    expect((await sentWith(second)).plan).toMatchObject({ refined: true, nodes: [{ label: 'All at once' }] })
    expect(models.requests).toHaveLength(3)
  })
})

describe('panoptes doctor', () => {
  it('names the runtime that answers in chat, and what is wrong with a configured one', async () => {
    await writeChatHome(home(), models.url)
    const daemon = await start()
    const check = async () => {
      const { checks } = (await json('doctor')) as unknown as {
        checks: { id: string; state: string; detail: string; cause: string | null }[]
      }
      return checks.find(({ id }) => id === 'runtimes')
    }
    expect(await check()).toMatchObject({ state: 'ok', detail: 'Jarvis with local/small' })
    await daemon.stop()
    const acp = { mine: { command: ['no-such-agent'] } }
    await writeChatHome(home(), models.url, { runtimes: { default: 'acp:mine', acp } })
    await start()
    expect(await check()).toMatchObject({ state: 'warning', detail: 'acp:mine cannot answer now' })
    expect((await check())?.cause).toContain('no-such-agent')
  })
})
