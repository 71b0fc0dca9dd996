// A list of the API, page by page, folded as it comes: the rows themselves are not kept.

export const pageSize = 1000;

// Pages are the pages of one list. Each page's rows are given to fold, with the number of the page.
export class Pages {
  total = null; // rows of the whole list, once a page is there
  rows = 0; // rows that are folded
  loaded = new Set();

  // Where newest is true, the pages after the first one are asked from the end.
  constructor(api, path, params, { fold, newest = false, size = pageSize }) {
    Object.assign(this, { api, path, params, fold, newest, size });
  }

  // pages is the number of pages, 1 while it is not known.
  get pages() {
    return Math.max(1, Math.ceil((this.total ?? 0) / this.size));
  }

  get left() {
    return this.pages - this.loaded.size;
  }

  // step asks for one page more, and returns its answer.
  async step() {
    let page = 1;
    if (this.loaded.size > 0) page = this.newest ? this.pages + 1 - this.loaded.size : this.loaded.size + 1;
    const answer = await this.api.json(this.path, { ...this.params, page, pageSize: this.size });
    this.total = answer.meta.page.totalRows;
    this.loaded.add(page);
    this.rows += answer.data.rows.length;
    this.fold(answer.data.rows, page);
    return answer;
  }
}

// pull makes so many requests at most, and calls seen after each. It completes the lists that it can, the short ones first; what is
// left goes to a list that begins with the newest rows, a part of which says something by itself.
export async function pull(lists, requests, seen) {
  let left = requests;
  const step = async (list) => {
    await list.step();
    left--;
    await seen();
  };
  for (const list of lists) {
    if (list.total === null && left > 0) await step(list);
  }
  for (const list of [...lists].sort((a, b) => a.left - b.left)) {
    const fits = list.left <= left;
    while (list.left > 0 && left > 0 && (fits || list.newest)) await step(list);
  }
}
