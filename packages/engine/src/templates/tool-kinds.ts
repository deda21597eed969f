import type { TaskType } from '@panoptes/schema'

export type Kind = Exclude<TaskType, 'mixed'>

const listed = (kind: Kind, names: readonly string[]): readonly (readonly [string, Kind])[] =>
  names.map((name) => [name, kind])

/** Hermes' tool names. */
const OF_HERMES: ReadonlyMap<string, Kind> = new Map([
  ...listed('code', ['execute_code', 'code_execution']),
  ...listed('file', ['read_file', 'write_file', 'patch', 'search_files']),
  ...listed('research', ['web_search', 'web_fetch', 'browser_navigate']),
  ...listed('terminal', ['terminal', 'execute_terminal']),
])

/** Other agents' names for the same tools, in lower case. */
const OF_OTHERS: ReadonlyMap<string, Kind> = new Map([
  ...listed('code', ['executecode']),
  ...listed('file', ['read', 'notebookread', 'ls', 'list', 'grep', 'glob']),
  ...listed('file', ['write', 'edit', 'multiedit', 'notebookedit', 'apply_patch']),
  ...listed('research', ['websearch', 'webfetch']),
  ...listed('terminal', ['bash', 'shell', 'local_shell', 'exec_command']),
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
