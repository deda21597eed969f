/** A row of messages as Hermes selects it. */
export interface SeedRow {
  readonly role: string
  readonly content: string | null
  /** The calls as JSON text. */
  readonly tool_calls: string | null
  /** The id of the answered call, which Hermes ignores. */
  readonly tool_call_id: string | null
  /** Whether the message was rewound. Hermes ignores it, too. */
  readonly rewound?: number
}

export interface SeedExample {
  readonly tool_name: string
  readonly arguments: unknown
  result: string
}

interface SeedCall {
  readonly id?: string
  readonly function?: { readonly name?: string; readonly arguments?: string }
}

/** Extracts examples step by step as Hermes does: the oracle for our implementation. */
export function seedExamples(rows: readonly SeedRow[], most = 10): readonly SeedExample[] {
  const examples: SeedExample[] = []
  for (const { role, content, tool_calls } of rows.slice(0, 100)) {
    if (examples.length >= most) break
    const last = examples.at(-1)
    if (role === 'assistant' && tool_calls) {
      for (const call of JSON.parse(tool_calls) as SeedCall[]) {
        if (examples.length >= most || !call.function?.name) continue
        examples.push({
          tool_name: call.function.name,
          arguments: value(call.function.arguments ?? '{}'),
          result: '',
        })
      }
    } else if (role === 'tool' && last?.result === '') last.result = content ?? ''
  }
  return examples
}

/** The intended differences, each of which can be switched off. */
export interface Differences {
  readonly paired: boolean
  readonly worked: boolean
  readonly turns: boolean
  readonly stayed: boolean
}

/** Hermes' rule with the differences, in plain steps. */
export function meantExamples(
  rows: readonly SeedRow[],
  differ: Differences,
  most = 10,
): readonly SeedExample[] {
  const stayed = differ.stayed ? rows.filter(({ rewound }) => !rewound) : rows
  const window = differ.turns ? stayed.slice(0, turnsEnd(stayed)) : stayed.slice(0, 100)
  const examples: (SeedExample & { readonly answered: boolean })[] = []
  window.forEach(({ role, tool_calls }, at) => {
    if (role !== 'assistant' || !tool_calls) return
    const calls = JSON.parse(tool_calls) as SeedCall[]
    for (const call of calls) {
      const answer = differ.paired
        ? window.find((row) => row.role === 'tool' && row.tool_call_id === call.id)
        : call === calls.at(-1)
          ? window.slice(at + 1).find((row) => row.role !== 'user')
          : undefined
      examples.push({
        tool_name: call.function?.name ?? '',
        arguments: value(call.function?.arguments ?? '{}'),
        result: answer?.role === 'tool' ? (answer.content ?? '') : '',
        answered: answer?.role === 'tool',
      })
    }
  })
  return examples
    .filter(
      ({ answered, result, tool_name }) => !differ.worked || (answered && !naivelyFailed(result, tool_name)),
    )
    .slice(0, most)
    .map(({ answered: _, ...example }) => example)
}

/** The position of the thirty-first reply. */
function turnsEnd(rows: readonly SeedRow[]): number {
  let turns = 0
  const end = rows.findIndex(({ role }) => {
    if (role === 'assistant') turns += 1
    return turns > 30
  })
  return end < 0 ? rows.length : end
}

/**
 * Detects failures in generated data. The content of a read file says nothing about the call, and
 * an exit code everything.
 */
function naivelyFailed(result: string, tool: string): boolean {
  const fields = value(result) as Record<string, unknown> | undefined
  if (fields?.success === false || fields?.error || (fields?.exit_code ?? 0) !== 0) return true
  if (fields?.exit_code === 0 || !['terminal', 'execute_code', 'execute_terminal'].includes(tool))
    return false
  const said =
    typeof fields?.output === 'string' ? fields.output : (fields?.content ?? fields?.result ?? result)
  return String(said)
    .split('\n')
    .some(
      (line, at) =>
        line.startsWith('Traceback (most recent call last)') ||
        line.startsWith('SyntaxError: ') ||
        line === 'build failure: exit code 2' ||
        (at === 0 &&
          /^(?:Error|ERROR|ModuleNotFoundError|TypeError|yaml\.scanner\.ScannerError): /.test(line)),
    )
}

function value(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
