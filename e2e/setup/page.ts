import { preparePage as prepare } from '../../packages/cli/build/page.ts'

/** Builds the page once for the whole run where it is missing or stale. */
export default async function preparePage(): Promise<void> {
  const { problem } = await prepare((line) => console.log(line))
  if (problem) throw new Error(`The page does not build: ${problem}`)
}
