/** A session of so many messages: replies with one call each, told one after the other. */
export function longRows(messages: number, begin: number): string {
  const row = (n: number, role: string, content: unknown) => ({
    type: role,
    uuid: `l${n}`,
    timestamp: new Date(begin + n * 1_000).toISOString(),
    cwd: '/home/dev/long',
    message: { id: `lm${n}`, role, model: 'claude-opus-4-8', content },
  })
  const rows = [row(0, 'user', 'A long session')]
  for (let n = 1; n + 1 < messages; n += 2) {
    const call = { type: 'tool_use', id: `c${n}`, name: 'Bash', input: { command: `make part-${n}` } }
    rows.push(row(n, 'assistant', n % 40 === 1 ? [{ type: 'text', text: `Now part ${n}.` }, call] : [call]))
    rows.push(row(n + 1, 'user', [{ type: 'tool_result', tool_use_id: `c${n}`, content: `made ${n}` }]))
  }
  return rows.map((each) => `${JSON.stringify(each)}\n`).join('')
}
