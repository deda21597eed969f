import axeCore from 'axe-core'
import type { Page } from 'playwright-core'

/** Everything axe finds wrong with what is on the screen. */
export async function axe(page: Page): Promise<readonly string[]> {
  const there = await page.evaluate(() => 'axe' in globalThis)
  if (!there) await page.evaluate(axeCore.source)
  // The guards around a menu take the focus only to hand it on, which axe cannot know.
  const violations = await page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as {
      axe: {
        run(
          context: object,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const context = { exclude: ['[data-base-ui-focus-guard]'] }
    // It would read all style sheets for one rule that it does not ask unless told to.
    const preload = { assets: ['media'] }
    const options = { resultTypes: ['violations'], preload }
    return (await tool.run(context, options)).violations
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  )
}

/** Goes to another address of the page as a link in it does, without drawing the window anew. */
export const goWithin = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    const scope = globalThis as unknown as {
      history: { pushState(state: object, name: string, to: string): void }
    }
    scope.history.pushState({}, '', to)
  }, path)
