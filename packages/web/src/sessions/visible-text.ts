/** Makes text of agents safe to show on a page. */
export { visible as seen, visibleLine as oneLine } from '@panoptes/schema/shown'
