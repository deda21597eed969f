import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSources } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import { readTemplate, templateText } from './file.ts'
import { make, openingsOf, tempFolder, unwrap } from './make.test-kit.ts'

const FIXTURES = fileURLToPath(new URL('../../../../fixtures', import.meta.url))
const PROJECT = '-home-dev-notes'

type Fields = Readonly<Record<string, unknown>>
const linesOf = (file: string): readonly Fields[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

interface Seen {
  readonly tool_name: string
  readonly result: string
}

/** The calls of a transcript with a successful result, parsed as simply as possible. */
function seenByClaude(file: string): readonly Seen[] {
  const blocks = linesOf(file).flatMap(({ message }) => {
    const { content } = (message ?? {}) as { content?: unknown }
    return Array.isArray(content) ? (content as Fields[]) : []
  })
  return blocks
    .filter(({ type }) => type === 'tool_use')
    .flatMap(({ id, name }) => {
      const answer = blocks.find(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === id)
      if (answer === undefined || answer.is_error === true) return []
      const { content } = answer
      const text = Array.isArray(content) ? content.map(({ text }) => text ?? '').join('\n') : content
      return [{ tool_name: String(name), result: String(text) }]
    })
}

function seenByCodex(file: string): readonly Seen[] {
  const items = linesOf(file)
    .filter(({ type }) => type === 'response_item')
    .map(({ payload }) => payload as Fields)
  return items
    .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
    .flatMap(({ call_id, name }) => {
      const answer = items.find((item) => String(item.type).endsWith('_output') && item.call_id === call_id)
      const output = String(answer?.output ?? 'aborted')
      const failed = /aborted|unsupported|exited with code [1-9]/.test(output)
      return failed ? [] : [{ tool_name: String(name), result: output }]
    })
}

const general = (text: string): string => text.replace(/\/home\/dev\b/g, '~').replace(/\/root\b/g, '~')

describe('templates of recorded sessions', () => {
  it.each(
    readdirSync(join(FIXTURES, 'claude-code', 'transcripts', PROJECT)).filter((name) =>
      name.endsWith('.jsonl'),
    ),
  )('contain the successful calls of Claude Code: %s', async (name) => {
    const config = tempFolder()
    cpSync(join(FIXTURES, 'claude-code', 'transcripts'), join(config, 'projects'), { recursive: true })
    const source = openSources({ CLAUDE_CONFIG_DIR: config }).find(({ name }) => name === 'claude-code')
    const openings = source ? await openingsOf(source) : []
    const opening = openings.find(({ session }) => `${session.id}.jsonl` === name)
    const seen = seenByClaude(join(config, 'projects', PROJECT, name))
    const made = make(opening?.messages ?? [], {}, opening?.session)
    expect(made.ok).toBe(seen.length > 0)
    if (!made.ok) return
    const { template } = made.value
    expect(template.examples.map(({ tool_name }) => tool_name)).toEqual(
      seen.map(({ tool_name }) => tool_name),
    )
    template.examples.forEach(({ result }, at) => {
      const whole = general(seen[at]?.result ?? '')
      if (whole.length <= 1_000) expect(result).toBe(whole)
      else expect(whole.startsWith(result.replace(/\n?… [\d,]+ \w+ cut$/, ''))).toBe(true)
    })
    expect(unwrap(readTemplate(templateText(template))).template).toEqual(template)
  })

  it('contain the successful calls of Codex', async () => {
    const home = tempFolder()
    cpSync(join(FIXTURES, 'codex', '0.145.0'), home, { recursive: true })
    const source = openSources({ CODEX_HOME: home }).find(({ name }) => name === 'codex')
    const openings = source ? await openingsOf(source) : []
    const roots = openings.filter(({ session }) => session.lineage === 'root')
    expect(roots.length).toBeGreaterThan(1)
    for (const { session, messages } of roots) {
      const folder = join(home, 'sessions', '2026', '11', '15')
      const file = readdirSync(folder).find((name) => name.endsWith(`${session.id}.jsonl`))
      const seen = seenByCodex(join(folder, file ?? ''))
      const { template } = unwrap(make(messages, {}, session))
      expect(template.examples.map(({ tool_name, result }) => ({ tool_name, result }))).toEqual(
        seen.map(({ tool_name, result }) => ({ tool_name, result: general(result) })),
      )
      for (const { tool_name, arguments: given } of template.examples)
        if (tool_name === 'apply_patch') expect(given.input).toMatch(/^\*\*\* Begin Patch\n/)
    }
  })
})
