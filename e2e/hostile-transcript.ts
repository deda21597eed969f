/** What an agent may write: markup, sequences for terminals, marks that turn the writing, and ten million letters. */
export function hostileRows(): string {
  const evil =
    'evil <img src=x onerror="document.title=1"><script>document.title=2</script> \u001b[2J \u202etxt.exe'
  const row = (n: number, role: string, content: unknown) => ({
    type: role,
    uuid: `u${n}`,
    timestamp: `2026-11-15T09:00:0${n}Z`,
    cwd: '/home/dev/hostile',
    message: { id: `m${n}`, role, model: 'claude-opus-4-8', content },
  })
  const edit = { file_path: 'a.ts', old_string: 'const a = 1\nkept', new_string: 'const b = 2\nkept' }
  const image = (media_type: string) => ({
    type: 'image',
    source: { type: 'base64', media_type, data: 'PHN2Zz4=' },
  })
  return [
    row(1, 'user', evil),
    row(2, 'assistant', [
      { type: 'thinking', thinking: 'a thought' },
      { type: 'tool_use', id: 'e1', name: 'Edit', input: edit },
    ]),
    row(3, 'user', [
      { type: 'tool_result', tool_use_id: 'e1', is_error: true, content: evil.repeat(120_000) },
    ]),
    row(4, 'user', [image('image/svg+xml'), { type: 'text', text: 'javascript:alert(1)' }]),
  ]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('{"type": "user", broken\n')
}
