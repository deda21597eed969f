/** Stands on its own line before the user's message when Panoptes puts context before it. */
const MARK = "The person's message:"

/**
 * Builds a prompt from context for the runtime and the user's message. `extractUserMessage` extracts the message
 * again.
 */
export const prependContext = (context: string, message: string): string =>
  context === '' ? message : `${context}\n\n${MARK}\n\n${message}`

/** Extracts the user's message from a prompt that Panoptes built. Other prompts are returned unchanged. */
export function extractUserMessage(prompt: string): string {
  const mark = `\n\n${MARK}\n\n`
  const at = prompt.lastIndexOf(mark)
  if (at >= 0) return prompt.slice(at + mark.length)
  // A runtime may trim a prompt whose message is blank, for example one with files alone.
  return prompt.trimEnd().endsWith(`\n\n${MARK}`) ? '' : prompt
}
