import axeCore from 'axe-core'
import type { Page } from 'playwright-core'

/** All violations that axe finds on the page. */
export async function axe(page: Page): Promise<readonly string[]> {
  const there = await page.evaluate(() => 'axe' in globalThis)
  if (!there) await page.evaluate(axeCore.source)
  // The focus guards around a menu only pass the focus on, which axe cannot know.
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
    // By default axe would read all style sheets for one rule.
    const preload = { assets: ['media'] }
    const options = { resultTypes: ['violations'], preload }
    return (await tool.run(context, options)).violations
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  )
}

/** Navigates inside the page like a link, without reloading it. */
export const goWithin = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    const scope = globalThis as unknown as {
      history: { pushState(state: object, name: string, to: string): void }
    }
    scope.history.pushState({}, '', to)
  }, path)
