type Block = Readonly<Record<string, unknown>>

/**
 * Translates the tools and the tool choice. `called` are the tools that the conversation mentions.
 */
export function anthropicTools(rest: Block, called: ReadonlySet<string>): Block {
  if (Array.isArray(rest.tools) && rest.tools.length > 0)
    return { tools: rest.tools.map(tool), ...choice(rest) }
  // Anthropic rejects a conversation with tool calls if no tools are declared.
  return called.size === 0
    ? {}
    : { tools: [...called].map((name) => ({ name, input_schema: NOTHING })), tool_choice: { type: 'none' } }
}

const NOTHING = { type: 'object', properties: {} }

function tool(definition: Block | null): unknown {
  if (definition?.type !== 'function') return definition
  const { name, description, parameters, strict } = (definition.function ?? {}) as Block
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: typeof parameters === 'object' && parameters ? { type: 'object', ...parameters } : NOTHING,
    ...(strict === true ? { strict } : {}),
    ...(definition.cache_control === undefined ? {} : { cache_control: definition.cache_control }),
  }
}

const NATIVE = ['auto', 'any', 'tool', 'none']

function choice({ tool_choice: chosen, parallel_tool_calls: parallel }: Block): Block {
  const alone = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (chosen === undefined || chosen === null || chosen === 'auto')
    return parallel === false ? { tool_choice: { type: 'auto', ...alone } } : {}
  if (chosen === 'none') return { tool_choice: { type: 'none' } }
  if (chosen === 'required' || chosen === 'any') return { tool_choice: { type: 'any', ...alone } }
  const {
    type,
    function: named,
    allowed_tools: some,
  } = chosen as {
    type?: string
    function?: { name?: unknown }
    allowed_tools?: { mode?: unknown }
  }
  if (typeof type === 'string' && NATIVE.includes(type))
    return { tool_choice: { ...(chosen as object), ...alone } }
  if (type === 'allowed_tools')
    return { tool_choice: { type: some?.mode === 'required' ? 'any' : 'auto', ...alone } }
  return { tool_choice: { type: 'tool', name: named?.name, ...alone } }
}
