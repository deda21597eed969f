import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** How messages begin that Codex puts into a conversation by itself, in the name of the person. */
const BEGINNINGS = [
  '<environment_context>',
  '<user_instructions>',
  '<permissions instructions>',
  '<collaboration_mode>',
  '<skills_instructions>',
  '<skill>',
  '<turn_aborted>',
  '<subagent_notification>',
  '<user_shell_command>',
  '<hook_prompt',
  '<model_switch>',
  '<personality_spec>',
  '<realtime_conversation>',
  '<goal_context>',
  '<guardian',
  '# AGENTS.md instructions',
]

/** Whether a message of the role `user` was not written by a person. Newer versions say of each part where it is from. */
export function isInjected(item: Fields): boolean {
  const { content_item_metadata } = fieldsOf(item.internal_chat_message_metadata_passthrough)
  const from = listOf(content_item_metadata).map((each) => fieldsOf(fieldsOf(each).provenance).type)
  if (from.some((type) => typeof type === 'string')) return !from.includes('user')
  const texts = listOf(item.content).map((part) => textOf(fieldsOf(part).text)?.trimStart())
  return texts.length > 0 && texts.every((text) => text !== undefined && begins(text))
}

const begins = (text: string): boolean => BEGINNINGS.some((beginning) => text.startsWith(beginning))
