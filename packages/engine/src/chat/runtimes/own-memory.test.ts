import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConversationWindow } from '@panoptes/engine/store'
import { success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryReader, userMemory } from '../context/memory-files.ts'
import { stripOwnMemory } from './own-memory.ts'
import type { RuntimeRequest } from './port.ts'

describe("context without the runtime's own memory", () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'panoptes-own-'))
    await mkdir(join(home, '.hermes', 'memories'), { recursive: true })
    await mkdir(join(home, '.claude'))
    await writeFile(join(home, '.hermes', 'memories', 'USER.md'), 'Likes tea\nor milk\n§\nLives in Bern')
    await writeFile(join(home, '.claude', 'CLAUDE.md'), '# Style\nShort words.')
    await writeFile(join(home, 'CLAUDE.md'), 'Use npm.')
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  /** The facts as the context renders them. */
  const told = async (facts: readonly string[]) => {
    const elsewhere = createMemoryReader({ hermes: join(home, '.hermes'), claude: join(home, '.claude') })
    const kept = facts.map((text, at) => ({ id: String(at), ts: at, text }))
    const source = userMemory({ facts: async () => success(kept), loadAgentMemory: elsewhere })
    const conversation = {} as ConversationWindow
    const loaded = await source.load(
      { conversation, message: '', folder: home, since: 0 },
      AbortSignal.abort(),
    )
    return loaded.ok ? source.render(loaded.value.items) : ''
  }
  const request = (baseline: string, preamble = ''): RuntimeRequest =>
    ({ baseline, preamble, history: [] }) as unknown as RuntimeRequest

  it("omits the runtime's own memory and leaves the rest unchanged", async () => {
    const section = await told(['Rides a bike'])
    const whole = `Before.\n\n${section}\n\nAfter.\n- Hermes, of the person: not between fences`
    const forHermes = stripOwnMemory(request(whole, section), 'hermes')
    expect(forHermes.baseline).not.toMatch(/Likes tea|or milk|Lives in Bern/)
    for (const words of ['Before.', 'Rides a bike', 'Short words.', 'Use npm.', 'not between fences'])
      expect(forHermes.baseline).toContain(words)
    expect(forHermes.preamble).not.toContain('Likes tea')
    const forClaude = stripOwnMemory(request(whole), 'claude-code').baseline
    expect(forClaude).not.toMatch(/Short words|Use npm/)
    expect(forClaude).toContain('- Hermes, of the person: Likes tea\n  or milk\n')
    expect(stripOwnMemory(request(whole), 'codex').baseline).toBe(whole)
    expect(stripOwnMemory(request(whole), null).baseline).toBe(whole)
  })

  it('omits the whole section if nothing else is in it', async () => {
    await rm(join(home, '.claude'), { recursive: true })
    await rm(join(home, 'CLAUDE.md'))
    const section = await told([])
    expect(stripOwnMemory(request(section), 'hermes').baseline).toBe('')
    expect(stripOwnMemory(request(`One.\n\n${section}\n\nTwo.`), 'hermes').baseline).toBe('One.\n\nTwo.')
  })

  it('stays fast on long lines', () => {
    const long = 'x'.repeat(1_000_000)
    expect(stripOwnMemory(request(long), 'hermes').baseline).toBe(long)
  })

  it('omits it from earlier messages too', async () => {
    const said = { id: '1', role: 'user' as const, content: 'Tea?', runtime: null, preamble: await told([]) }
    const { history } = stripOwnMemory({ ...request(''), history: [said] }, 'hermes')
    expect(history[0]?.preamble).not.toContain('Likes tea')
    expect(history[0]?.preamble).toContain('Use npm.')
  })
})
