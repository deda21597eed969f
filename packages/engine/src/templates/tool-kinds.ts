import type { TaskType } from '@panoptes/schema'

export type Kind = Exclude<TaskType, 'mixed'>

const listKinds = (kind: Kind, names: readonly string[]): readonly (readonly [string, Kind])[] =>
  names.map((name) => [name, kind])

/** Hermes' tool names. */
const OF_HERMES: ReadonlyMap<string, Kind> = new Map([
  ...listKinds('code', ['execute_code', 'code_execution']),
  ...listKinds('file', ['read_file', 'write_file', 'patch', 'search_files']),
  ...listKinds('research', ['web_search', 'web_fetch', 'browser_navigate']),
  ...listKinds('terminal', ['terminal', 'execute_terminal']),
])

/** Other agents' names for the same tools, in lower case. */
const OF_OTHERS: ReadonlyMap<string, Kind> = new Map([
  ...listKinds('code', ['executecode']),
  ...listKinds('file', ['read', 'notebookread', 'ls', 'list', 'grep', 'glob']),
  ...listKinds('file', ['write', 'edit', 'multiedit', 'notebookedit', 'apply_patch']),
  ...listKinds('research', ['websearch', 'webfetch']),
  ...listKinds('terminal', ['bash', 'shell', 'local_shell', 'exec_command']),
])

/** Tool kinds set in the config. */
export type OwnTools = Readonly<Record<string, Kind>>

/** Returns the kind of work a tool is for; undefined if unknown. */
export function toolKind(tool: string, own: OwnTools = {}): Kind | undefined {
  if (Object.hasOwn(own, tool)) return own[tool]
  const name = withoutServer(tool)
  return OF_HERMES.get(name) ?? OF_OTHERS.get(name.toLowerCase())
}

/** MCP tools are called `mcp__server__tool`. */
function withoutServer(tool: string): string {
  if (!tool.startsWith('mcp__')) return tool
  const at = tool.indexOf('__', 'mcp__'.length)
  return at < 0 ? tool : tool.slice(at + 2)
}
